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
    "A citizen or sheriff killed in the first night gets 0.5 if red lost. The column “Compensation” counts how often.",
    FirstKillCompensation(roles=RED, points="0.5"),
    Columns(columns=(column("compensation", words("Компенсация", "Compensation"), "n_first_kill_compensation"),)),
    readings=(
        reading(
            "Колонка «Компенсация» показывает, сколько раз компенсация начислена, а не сколько раз игрок был первым "
            "убиенным.",
            "The column “Compensation” counts compensations awarded, not first kills.",
            "columns",
        ),
        reading("При ничьей компенсации нет.", "There is no compensation in a draw."),
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
            "Exactly three different seats are named; naming oneself is allowed. The sheriff is red, the don is black.",
        ),
        reading("За одного чёрного — 0 баллов.", "One black seat named gives 0.", "one"),
        reading(
            "ЛХ считается при любом исходе, при ничьей тоже. −0,25 начисляется и при победе красных: это не штраф.",
            "The best move counts whatever the outcome, including a draw. The -0.25 applies even if red won: it is "
            "not a penalty.",
        ),
        reading(
            "Если первый убиенный — чёрный, его ЛХ не оценивается.",
            "If the first player killed is black, the best move does not count.",
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
    "The judge may give extra points to at most three players, at most 1 in total: a winner up to 0.7 (0.6 and 0.7 "
    "only with the president's approval), a loser up to 0.4; none in a draw.",
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
            "Шаг в тексте не указан: подходит любое число, не больше двух знаков после запятой; 0 — доп. балла нет.",
            "The text names no step: any value with at most two decimals is allowed; 0 means no bonus.",
            "decimals",
        ),
        reading(
            "0,55 — без согласования; 0,6, 0,65 и 0,7 — по согласованию с президентом.",
            "0.55 needs no approval; 0.6, 0.65 and 0.7 need the president's.",
            "winner_consent",
        ),
        reading(
            "Удалённому или оштрафованному игроку доп. балл дать можно; сервис только предупредит.",
            "A removed or penalized player may get a bonus; the service only warns.",
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
    "The judge may fine a player 1 point, but only if the player's team lost: for breaking into a red at ten "
    "(citizen, sheriff) or at four (citizen), for leaving a false check as true (citizen, sheriff), for posing as "
    "sheriff with a red check of the real one (mafia, don); for every removal that affected the player's team; and, "
    "with the president's approval, at the judge's discretion.",
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
            "A removal is penalized if the team lost, unless the judge wrote affected_team: false.",
            "spares_harmless",
        ),
        reading(
            "Удаление при победе или ничьей записывается, но штрафа за него нет.",
            "If the team won or drew, a removal is recorded but not penalized.",
            "when",
        ),
        reading(
            "Штраф игроку, чья команда не проиграла, — ошибка: такой протокол не принимается.",
            "A conduct penalty for a player whose team did not lose is an error: the game is rejected.",
        ),
        reading(
            "Штрафы за разные нарушения и за удаление складываются; одно нарушение дважды — ошибка.",
            "Penalties for different reasons and for a removal add up; the same reason twice is an error.",
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
    "First coefficient: points times the percentage of wins, divided by 100%. Second: points divided by games. The "
    "rating is their product; it shows the best player.",
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
            "Места — по рейтингу: «Данный показатель выявляет лучшего игрока».",
            "The table is ordered by rating: “this figure shows the best player”.",
            "by",
        ),
        reading(
            "При равном рейтинге место у игроков одно, следующее за ними пропускается: 1, 2, 2, 4.",
            "Players with equal ratings share a place, and the next place is skipped: 1, 2, 2, 4.",
        ),
        reading(
            "Лучший игрок сезона — первый по рейтингу; при равенстве — все первые.",
            "The season's best player is the first by rating; if several are equal, all of them.",
            "places",
        ),
        reading("Для процента побед ничьи входят в число игр.", "For the win percentage, draws count as games."),
        reading(
            "Рейтинг считается строго по формуле: из отрицательной суммы баллов он выходит положительным. У такой "
            "строки есть предупреждение.",
            "The rating follows the formula literally: negative points give a positive rating. Such a row has a "
            "warning.",
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
    "The player with the most points enters the season's cup free of charge. The top 10 of the rating have priority "
    "at its registration.",
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
        reading(
            "Без взноса играет первый по баллам, а не по рейтингу.",
            "The free entry goes to the first by points, not by rating.",
            "by",
        ),
        reading(
            "ТОП-10 — первые десять по рейтингу, а не по баллам.",
            "The top 10 are the first ten by rating, not by points.",
            "by",
        ),
        reading(
            "Если на границе равные показатели, проходят все равные.",
            "If players are equal at the limit, all of them are included.",
        ),
        reading(
            "Если игрок отказался от бесплатного участия, оно никому не переходит.",
            "If the player declines the free entry, nobody else gets it.",
        ),
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
