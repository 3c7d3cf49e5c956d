"""The rating of the club MAFFAMILY (Krasnoznamensk): clause by clause, in the order of its regulation."""

from typing import Final

from app.scoring.rule_system import RuleSystem
from app.scoring.rules.first_kill import BestMove, FirstKillCompensation
from app.scoring.rules.judge_bonus import JudgeBonus, consent, upto
from app.scoring.rules.penalties import ConductPenalties, RemovalPenalty, act
from app.scoring.rules.season import NegativePoints
from app.scoring.rules.table_rules import Award, Columns, Order
from app.scoring.rules.win import Win
from app.scoring.text import words
from app.scoring.vocabulary import (
    BLACK_FAKE_SHERIFF,
    BROKE_RED_AT_FOUR,
    BROKE_RED_AT_TEN,
    FALSE_SHERIFF_CHECK,
    GAMES,
    POINTS,
    RED,
    TEN_SEATS,
    WIN_RATE,
    WINS,
    clause,
    column,
    reading,
)

WIN: Final = clause(
    "1",
    """\
По результатам каждой игры участникам начисляются очки рейтинга:
· За победу каждый игрок «красной» и «черной» команды получает 2 балла;
· За поражение или ничью игроки не получают рейтинговых баллов;""",
    "Every player of the winning team gets 2 points; a loss or a draw gives none.",
    Win(points="2"),
    Columns(columns=(GAMES, WINS, WIN_RATE, POINTS)),
)

COMPENSATION: Final = clause(
    "2",
    """\
Теперь «красный» игрок или «шериф», убитый в первую ночь, получит компенсационные баллы в размере +0, 5 в случае \
поражения «красной» команды.
В рейтинговой таблице данный показатель отображается в колонке «Компенсация» (кол-во раз).""",
    "A citizen or sheriff killed in the first night gets 0.5 when red lost. The column «compensation» counts the "
    "times.",
    FirstKillCompensation(roles=RED, points="0.5"),
    Columns(columns=(column("compensation", words("Компенсация", "Compensation"), "n_first_kill_compensation"),)),
    readings=(
        reading(
            "Колонка «Компенсация» считает выплаченные компенсации, а не первые убийства.",
            "The compensation column counts compensations paid, not first kills.",
            "columns",
        ),
        reading("В ничьей компенсации нет.", "A draw gives no compensation."),
    ),
)

BEST_MOVE: Final = clause(
    "3",
    """\
Игрок «убитый» в первую ночь, имеет право во время своей последней минуты сделать “лучший ход” (ЛХ)— назвать трёх \
игроков, которых он считает “чёрными”.
· За трёх названных в ЛХ «чёрных» игроков «красный» игрок и «шериф» получает +0, 4 балла;
· За двух названных в ЛХ «чёрных» игроков «красный» игрок и «шериф» получают +0, 25 балла;
· За трех названных в ЛХ «красных» игроков «красный» игрок или «шериф» получает -0, 25 балла!
Игрок может не воспользоваться правом назвать черную команду на последней минуте, если не уверен в ней - в этом \
случае он не получит баллов.""",
    "A citizen or sheriff killed in the first night may name three players as black: three blacks named give 0.4, two "
    "0.25, three reds named cost 0.25. Naming nobody gives nothing.",
    BestMove(roles=RED, three="0.4", two="0.25", one="0", none="-0.25"),
    Columns(columns=(column("best_move", words("ЛХ", "Best move"), "p_best_move", 2),)),
    readings=(
        reading(
            "Называют ровно три разных места; можно назвать и себя. Шериф — красный, дон — чёрный.",
            "Exactly three different seats are named, oneself allowed. The sheriff is red, the don black.",
        ),
        reading("За одного чёрного — 0.", "One black named gives 0.", "one"),
        reading(
            "ЛХ считается при любом исходе, и в ничьей; -0,25 — и при победе красных: это не штраф.",
            "Counts whatever the outcome, a draw included; -0.25 also when red won: it is no penalty.",
        ),
        reading(
            "ЛХ чёрного, убитого первым, не оценивается.",
            "The best move of a black first kill scores 0.",
            "roles",
        ),
    ),
)

BONUS: Final = clause(
    "4",
    """\
По окончании игры Ведущий (Судья) игры имеют право распределить дополнительные баллы между лучшими игроками:
· Ведущий (Судья) может распределять дополнительные баллы между ТРЕМЯ игроками. Общая сумма дополнительных баллов от \
Судьи не должна превышать 1 балл;
· Игрок из победившей команды может максимально получить от Ведущего (Судьи) +0, 7 балла (при этом получение игроком \
дополнительных баллов величиной 0, 6 или 0, 7 за одну игру допускается только по согласованию с Президентом клуба и \
является крайне редкой игровой ситуацией);
· Игрок из проигравшей команды может максимально получить от Ведущего (Судьи) +0, 4 балла;
Ведущий (Судья) не обязан давать игрокам максимальное кол-во дополнительных баллов. Дополнительные баллы \
распределяются между игроками независимо от победы той или иной команды. В случае присуждения ничьей игроки не \
получают дополнительные баллы от Ведущего (Судьи).""",
    "The judge may give extra points to at most three players, at most 1 in all: a winner up to 0.7 (0.6 and 0.7 only "
    "with the president's consent), a loser up to 0.4; none in a draw.",
    JudgeBonus(
        winner=upto("0.7"),
        loser=upto("0.4"),
        draw=None,
        players=3,
        total="1",
        decimals=2,
        winner_consent=consent("0.6", by="president"),
        warns_of_penalised=True,
    ),
    Columns(columns=(column("bonus", words("Доп. баллы", "Judge's bonus"), "p_judge_bonus", 2),)),
    readings=(
        reading(
            "Шаг не указан: любое число не больше чем с двумя знаками после запятой; 0 — доп. балла нет.",
            "No step is stated: any value with at most two decimals; 0 means no bonus.",
            "decimals",
        ),
        reading(
            "0,55 — без согласования, 0,6 и 0,65 — с ним.",
            "0.55 needs no approval, 0.6 and 0.65 do.",
            "winner_consent",
        ),
        reading(
            "Удалённому или оштрафованному доп. балл дать можно, с предупреждением.",
            "A removed or penalised player may get a bonus; it carries a warning.",
            "warns_of_penalised",
        ),
    ),
)

PENALTIES: Final = clause(
    "5",
    """\
По окончании игры Ведущий (Судья) игры имеет право присудить игрокам штрафные баллы (в размере -1 балл) за действия, \
негативно повлиявшие на ход игры:
· «Красному» игроку или «шерифу», намеренно «сломавшему» в «красного» игрока или «шерифа» на 10 человек, после чего \
«красная» команда проиграла;
· «Красному» игроку, намеренно «сломавшему» в «красного» игрока или «шерифа» на 4 человека в ситуации, когда с \
помощью голосования при подъёме двоих игроков «красная» команда должна гарантированно побеждать;
· «Красному» игроку или «шерифу», который вскрылся с заведомо ложной проверкой и оставил эту информацию в качестве \
действительной, в результате чего «красная» команда проиграла;
· «Чёрному» игроку или «дону», который вскрылся «шерифом» с «красной» проверкой настоящего «шерифа» в альтернативной \
версии игры, в результате чего версия «чёрных» оказалась нежизнеспособной и «чёрная» команда проиграла.
Штрафом наказываются ВСЕ удаления, за исключением удалений, не повлиявших на ход игры для своей команды. Также штраф \
может быть поставлен игроку любой команды на усмотрение Ведущего (Судьи), вне вышеназванных пунктов, по согласованию \
с Президентом клуба.
Игрок может получить штраф только в случае поражения своей команды.""",
    "The judge may fine a player 1 point, only when his team lost: for breaking into a red at ten (citizen, sheriff) "
    "or at four (citizen), for leaving a false check as true (citizen, sheriff), for posing as sheriff with a red "
    "check of the real one (mafia, don); for every removal that affected the own team; and, with the president's "
    "consent, at his discretion.",
    ConductPenalties(
        points="-1",
        acts=(
            BROKE_RED_AT_TEN,
            BROKE_RED_AT_FOUR,
            FALSE_SHERIFF_CHECK,
            BLACK_FAKE_SHERIFF,
            act(
                "discretionary",
                "штраф на усмотрение судьи",
                "penalty at the judge's discretion",
                consent="president",
            ),
        ),
    ),
    RemovalPenalty(points="-1", when="lost", spares_harmless=True),
    Columns(columns=(column("penalty", words("Штраф", "Penalty"), "p_penalty", 2),)),
    readings=(
        reading(
            "Удаление при поражении штрафуется, если судья не отметил, что на игру команды оно не повлияло.",
            "A removal is penalised by default when the team lost; the judge clears it with affected_team: false.",
            "spares_harmless",
        ),
        reading(
            "Удаление при победе или ничьей записывается и стоит 0.",
            "A removal when the team won or drew is recorded and costs 0.",
            "when",
        ),
        reading(
            "Штраф игроку, чья команда не проиграла, — ошибка, а не 0.",
            "A conduct penalty for a player whose team did not lose is an error, not a silent 0.",
        ),
        reading(
            "Разные нарушения и удаление складываются; одно и то же нарушение дважды — ошибка.",
            "Different reasons and a removal add up; the same reason twice is an error.",
        ),
    ),
)

RATING: Final = clause(
    "6",
    """\
В рейтинговую таблицу добавлены дополнительные колонки с расчетом коэффициентов, по которым выявляются лучшие игроки \
на протяжении сезона.
· Первый коэффициент рассчитывается по формуле: количество баллов, умноженное на процент побед, деленное на 100%.
· Второй коэффициент: количество баллов, деленное на количество игр.
· Итоговый коэффициент: первый коэффициент, умноженный на второй. Данный показатель выявляет лучшего игрока.
При данной системе рейтинга на Ваши показатели будет влиять процент побед и кол-во баллов, полученных за 1 игру. \
Игрок, который держит высокий процент побед на длительной дистанции, имеет рейтинг лучше, чем игрок с таким же \
показателем на короткой дистанции, т. к. удержать данную стабильность сложнее.""",
    "First coefficient: points times the share of wins. Second: points by games. The rating is their product; it "
    "shows the best player.",
    NegativePoints(negative_points="letter"),
    Columns(
        columns=(
            column("k1", words("Первый коэффициент", "First coefficient"), "points * wins / games", 4),
            column("k2", words("Второй коэффициент", "Second coefficient"), "points / games", 4),
            column("rating", words("Рейтинг", "Rating"), "k1 * k2 * points_sign", 4),
        )
    ),
    Order(by=("rating", "points")),
    Award(code="best_player", name=words("Лучший игрок", "Best player"), by="rating", places=1),
    readings=(
        reading(
            "Таблица — по рейтингу: «данный показатель выявляет лучшего игрока».",
            "The table goes by rating: «this figure shows the best player».",
            "by",
        ),
        reading(
            "Лучший игрок сезона — первый по рейтингу; при равенстве — все первые.",
            "The season's best player is the first by rating; of equals, all.",
            "places",
        ),
        reading("Ничьи — в знаменателе процента побед.", "Draws are in the divisor of the win percentage."),
        reading(
            "Рейтинг считается по букве: отрицательная сумма баллов даёт положительный; такая строка отмечена.",
            "The rating is computed by the letter: a negative total gives a positive one; such a row is marked.",
            "negative_points",
        ),
    ),
)

CUP: Final = clause(
    "7",
    """\
Игрок, набравший наибольшее количество баллов в сезонном рейтинге, получает право участвовать в сезонном турнире \
KRASNOZNAMENSK MAFIA CUP без турнирного взноса (бесплатно).
Игроки, вошедшие в ТОП-10 сезонного рейтинга, имеют приоритет при регистрации на участие в сезонном турнире \
KRASNOZNAMENSK MAFIA CUP.""",
    "The player with the most points enters the season's cup free of charge. The top 10 of the rating have "
    "priority at its registration.",
    Award(
        code="free_entry",
        name=words("Бесплатное участие в кубке", "Free entry to the cup"),
        by="points",
        places=1,
    ),
    Award(
        code="priority_registration",
        name=words("Приоритет при регистрации на кубок", "Priority registration for the cup"),
        by="rating",
        places=10,
    ),
    readings=(
        reading("Взнос снимается по баллам, а не по рейтингу.", "Free entry goes by points, not by rating.", "by"),
        reading("Равные на границе — все внутри.", "Ties at a cut are all in."),
        reading("Отказ от бесплатного участия никому не передаётся.", "A declined free entry is not passed on."),
    ),
)

maffamily: Final = RuleSystem(
    id="maffamily",
    version=1,
    title=words("Рейтинг клуба MAFFAMILY (Мафия в Краснознаменске)", "MAFFAMILY club rating (Krasnoznamensk)"),
    source="Система рейтинга в клубе MAFFAMILY (Мафия в Краснознаменске), утверждена Президентом клуба",
    table=TEN_SEATS,
    clauses=(WIN, COMPENSATION, BEST_MOVE, BONUS, PENALTIES, RATING, CUP),
)
