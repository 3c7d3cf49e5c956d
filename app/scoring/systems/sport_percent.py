"""The percent rating with Ci and K: clause by clause, in the order of its regulation.

The text has no clause numbers; the ids are ours.
"""

from typing import Final

from app.scoring.rule_system import RuleSystem
from app.scoring.rules.auto_bonus import AutoBonus
from app.scoring.rules.first_kill import BestMove
from app.scoring.rules.judge_bonus import JudgeBonus, between, consent
from app.scoring.rules.penalties import ConductPenalties, PpkPenalty, RemovalPenalty
from app.scoring.rules.season import GamesBonus
from app.scoring.rules.table_rules import Columns, Order, TieBreakers
from app.scoring.rules.tournament import DifficultyCoefficient, FirstKillCoefficient
from app.scoring.rules.win import Win
from app.scoring.text import words
from app.scoring.vocabulary import (
    BLACK_FAKE_SHERIFF,
    BROKE_RED_AT_FOUR,
    BROKE_RED_AT_TEN,
    FALSE_SHERIFF_CHECK,
    GAMES,
    RED,
    TEN_SEATS,
    WIN_RATE,
    WINS,
    clause,
    column,
    reading,
)

SEASON: Final = clause(
    "season",
    """\
По результатам каждой игры участникам автоматически начисляются очки рейтинга:
- рейтинг высчитывается по формуле: ((сумма баллов+ЛИ+ЛХ-Штраф) / игр сыграно)) * 100% + 10% * игр сыграно;
- ЛИ - это сумма доп. баллов и автоматических доп. баллов (автодоп);""",
    "A season's rating: points per game times 100, plus 10 for each game played, in percent. Points: for wins, the "
    "judge's and auto bonuses, the best move, less penalties.",
    GamesBonus(format="season", per_game="10"),
    Columns(
        columns=(
            GAMES,
            WINS,
            WIN_RATE,
            column(
                "main",
                words("Основные", "Main"),
                "main_points + ci_compensation + difficulty",
                2,
                tournament_decimals=4,
            ),
            column("extra", words("Дополнительные", "Extra"), "extra_points", 2),
            column("points", words("Баллы", "Points"), "main + extra", 2, tournament_decimals=4),
        )
    ),
    Columns(
        format="season",
        columns=(column("rating", words("Рейтинг", "Rating"), "100 * points / games + games_bonus", 4, unit="%"),),
    ),
    Order(by=("rating", "points")),
    readings=(
        reading(
            "Эта формула — для сезона клуба, сумма баллов (total) — для турнира по всем стадиям: текст не называет "
            "формат.",
            "This formula rates club seasons, the sum of points (total) tournaments over all stages: the text names "
            "no format.",
            "format",
        ),
        reading(
            "Дополнительные = автодоп + доп. баллы + ЛХ − штрафы; баллы = основные + дополнительные.",
            "Extra = auto bonus + judge's bonus + best move - penalties; points = main + extra.",
            "columns",
        ),
    ),
)

WIN: Final = clause(
    "win",
    """\
- за победу каждый игрок “красной” команды получает 1 балл;
- за победу каждый игрок “чёрной” команды получает 1 балл;""",
    "Every player of the winning team gets 1 point.",
    Win(points="1"),
)

AUTO_BONUS: Final = clause(
    "auto",
    "- независимо от результата игры, игроку начисляется аводоп 0,3 балла;",
    "Whatever the outcome, every player gets 0.3.",
    AutoBonus(points="0.3"),
    readings=(reading("Удалённый игрок свои 0,3 сохраняет.", "A removed player keeps his 0.3."),),
)

DISQUALIFICATION: Final = clause(
    "disqualification",
    "- при дисквалификации из-за стола игрок получает штраф -0,5 балла;",
    "A player removed from the table loses 0.5.",
    RemovalPenalty(points="-0.5", when="always", spares_harmless=False, ppk_replaces_removal=True),
    readings=(
        reading(
            "Штраф за ППК (-0,7) заменяет штраф за дисквалификацию (-0,5).",
            "The PPK penalty (-0.7) replaces the one for removal (-0.5).",
            "ppk_replaces_removal",
        ),
        reading(
            "При любом исходе, и удаление «после смерти» тоже; отметка affected_team ничего не меняет.",
            "Whatever the outcome, removal «after death» too; affected_team has no effect.",
            "spares_harmless",
        ),
    ),
)

PPK: Final = clause(
    "ppk",
    "- при совершении действий, которые привели к ППК, игрок получает штраф -0,7 балла.",
    "A player whose acts led to PPK loses 0.7.",
    PpkPenalty(points="-0.7"),
    readings=(reading("Его команда должна проиграть.", "His team must have lost."),),
)

BEST_MOVE: Final = clause(
    "best-move",
    """\
Игрок, “убитый” в первую ночь, имеет право сделать “лучший ход” — назвать трёх игроков, которых он считает “чёрными”:
- за трёх названных “чёрных” игрок получает +0,5 балла;
за двух названных “чёрных” игрок получает +0,3 балла.""",
    "The player killed in the first night may name three players as black: three blacks give 0.5, two 0.3.",
    BestMove(roles=None, three="0.5", two="0.3", one="0", none="0"),
    readings=(
        reading("«Игрок» — в любой роли.", "The text says «player»: any role.", "roles"),
        reading(
            "Называют ровно три разных места; ЛХ считается при любом исходе.",
            "Exactly three different seats are named; it counts whatever the outcome.",
        ),
    ),
)

BONUS: Final = clause(
    "bonus",
    """\
По окончании игры Судья имеет право распределить доп. баллы между лучшими игроками:
- максимальная сумма доп. баллов не должна превышать 1,6 балла;
- игрок победившей команды может получить от 0,3 до 0,8 балла, при этом получение доп. баллов величиной 0,7 или 0,8 \
баллов за 1 игру допускается только по согласованию с Главным Судьей;
- игрок проигравшей команды может получить от 0,2 до 0,5 балла;
- Судья не обязан давать игрокам максимальное кол-во дополнительных баллов;
- в случае присуждения ничьей игроки не получают дополнительные баллы от Судьи.""",
    "The judge may give extra points, at most 1.6 in all: a winner 0.3 to 0.8 (0.7 and 0.8 only with the chief "
    "judge's consent), a loser 0.2 to 0.5; none in a draw.",
    JudgeBonus(
        winner=between("0.3", "0.8"),
        loser=between("0.2", "0.5"),
        draw=None,
        players=None,
        total="1.6",
        decimals=2,
        winner_consent=consent("0.7", by="chief_judge"),
    ),
    readings=(
        reading(
            "Не больше двух знаков после запятой; 0 — доп. балла нет.",
            "At most two decimals; 0 means no bonus.",
            "decimals",
        ),
        reading("0,7 и больше — с согласия Главного судьи.", "0.7 or more needs the approval.", "winner_consent"),
    ),
)

CONDUCT: Final = clause(
    "conduct",
    """\
По окончании игры Судья имеет право присудить игрокам штрафные баллы в размере -0,4 балла:
- “красному” игроку или “шерифу”, намеренно “сломавшему” в “красного” игрока или “шерифа” при круге на 10 человек, \
после чего “красная” команда проиграла;
- “красному” игроку, намеренно “сломавшему” в “красного” игрока или “шерифа” при круге на 4 человека в ситуации, \
когда с помощью голосования при подъёме двоих игроков “красная” команда должна гарантированно побеждать;
- “красному” игроку или “шерифу”, который вскрылся с заведомо ложной проверкой и оставил эту информацию в качестве \
действительной, в результате чего “красная” команда проиграла;
- “чёрному” игроку или “дону”, который вскрылся “шерифом” с “красной” проверкой настоящего “шерифа” в альтернативной \
версии игры, в результате чего версия “чёрных” оказалась нежизнеспособной и “чёрная” команда проиграла.""",
    "The judge may fine a player 0.4: for breaking into a red at ten (citizen, sheriff; red lost) or at four "
    "(citizen), for leaving a false check as true (citizen, sheriff; red lost), for posing as sheriff with a red "
    "check of the real one (mafia, don; black lost).",
    ConductPenalties(
        points="-0.4",
        acts=(
            BROKE_RED_AT_TEN,
            BROKE_RED_AT_FOUR.model_copy(update={"when": "always"}),
            FALSE_SHERIFF_CHECK,
            BLACK_FAKE_SHERIFF,
        ),
    ),
    readings=(
        reading(
            "Слом на 4 человека наказывается при любом исходе: условия в тексте нет.",
            "Breaking at four counts whatever the outcome: the text sets no condition.",
            "acts",
        ),
        reading(
            "Складывается с дисквалификацией и ППК; разные нарушения складываются, одно и то же дважды — ошибка.",
            "Adds to disqualification and PPK; different reasons add, the same one twice is an error.",
        ),
    ),
)

CI: Final = clause(
    "ci",
    """\
На стадии отборов и полуфинала игроки, которых часто “стреляют” в первую ночь, получают компенсационные баллы (Ci):
- величина компенсации Ci определяется по формуле: Ci=i*0,4/B при iB; Ci=0,4 при i>B. Где i — количество “отстрелов” \
игрока в первую ночь за роль “красного” игрока или “шерифа” на дистанции стадии отборов и полуфинала; B — 40% от \
количества игр, сыгранных игроком на дистанции отборов и полуфинала, с округлением до целого значения;
- игрок получает компенсационные баллы величиной Ci, если он был i раз за дистанцию “убит” в первую “ночь”, играя за \
роль “красного” игрока или “шерифа”;
- компенсационные баллы начисляются в качестве основных баллов в тех играх, где игрок был “убит” в первую “ночь”, \
играя за роль “красного” игрока или “шерифа”, и при этом “красная” команда проиграла.""",
    "In the qualifying and semifinal stages, a player shot first i times as citizen or sheriff gets Ci = 0.4 · i/B "
    "(0.4 where i > B) for each such game that red lost; B is 40 % of the games he played there, to the nearest whole "
    "number.",
    FirstKillCoefficient(roles=RED, stages=("qualifying", "semifinal"), most="0.4", share="0.4"),
    Columns(
        columns=(
            column("ci", words("Ci", "Ci"), "ci", 4),
            column("compensation", words("Компенсация", "Compensation"), "ci_compensation", 4),
        )
    ),
    readings=(
        reading(
            "«При iB» — это «при i ≤ B»; при B = 0 Ci = 0,4.",
            "The text is damaged («при iB»): i ≤ B is read; B = 0 gives 0.4.",
        ),
        reading(
            "i считает первые убийства при любом исходе; платится только при поражении красных, в ничьей — нет.",
            "i counts first kills whatever the outcome; only games red lost are paid, a draw is not.",
        ),
        reading("Финалы не платят и в дистанцию не входят.", "Finals never pay and are no part of it.", "stages"),
    ),
)

K: Final = clause(
    "k",
    """\
На турнирах с количеством участников, не превышающем 20 человек, применяется коэффициент сложности (К):
- коэффициент применяется к "тяжелым" играм. "Тяжелыми" играми считаются игры с меньшим количеством побед одной из \
сторон;
- формула расчета коэффициента: К= 1+(N:2-n)/(N:2), где N – количество сыгранных игр, n – количество тяжелых игр;
- коэффициент К применяется только к основным баллам, полученным за победу.""",
    "In tournaments of at most 20 participants, points for wins of the side that won less are multiplied by K = 1 + "
    "(N/2 - n)/(N/2): N all games, n wins of that side.",
    DifficultyCoefficient(participants=20),
    Columns(columns=(column("difficulty", words("Сложность", "Difficulty"), "difficulty", 4),)),
    readings=(
        reading(
            "N считает ничьи и все стадии: 2:1 и ничья дают K = 1,5.",
            "N counts draws and every stage: 2:1 and a draw give K = 1.5.",
        ),
        reading("Побед поровну — тяжёлой стороны нет, K = 1.", "Equal wins: no hard side, K = 1."),
        reading(
            "Участники — все разные игроки, сидевшие за столом, с заменами и финалистами.",
            "Participants are all different players who sat at a table, substitutes and finalists included.",
            "participants",
        ),
    ),
)

TOTAL: Final = clause(
    "total",
    "Итоговый рейтинг игрока определяется суммой основных и доп. баллов.",
    "A tournament's rating: main plus extra points.",
    Columns(
        format="tournament",
        columns=(column("rating", words("Рейтинг", "Rating"), "points", 4),),
    ),
)

TIES: Final = clause(
    "ties",
    """\
При равенстве рейтинговых баллов позиции игроков в рейтинге определяются по следующим правилам:
- при равенстве рейтинговых баллов преимущество получает игрок с большей суммой доп. баллов;
- при равенстве доп. баллов преимущество получает игрок с большим количеством побед;
- при равенстве количества побед преимущество получает игрок, одержавший большее количество побед Доном или Шерифом;
- при равенстве количества побед Доном или Шерифом преимущество получает игрок с большим количеством смертей в первую \
игровую ночь;
- при равенстве всех вышеперечисленных показателей преимущество того или иного игрока определяется жребием.""",
    "Equal ratings are ordered by extra points, then wins, then wins as don or sheriff, then deaths in the first "
    "night, then by lot.",
    Columns(
        columns=(
            column(
                "lead_wins",
                words("Победы доном и шерифом", "Wins as don or sheriff"),
                "wins_as_don + wins_as_sheriff",
            ),
            column("first_kills", words("Первые убийства", "First kills"), "first_kills"),
        )
    ),
    TieBreakers(by=("extra", "wins", "lead_wins", "first_kills"), lot=True),
    readings=(
        reading("Так же упорядочен и сезон клуба.", "The same tie-breakers order a club season."),
        reading("Смерти в первую ночь — в любой роли.", "First-night deaths in any role.", "by"),
        reading(
            "Жребий тянут один раз для ровно этой группы равных; меняется группа — он недействителен.",
            "A lot is drawn once for exactly one group of tied players; it is void when the group changes.",
            "lot",
        ),
    ),
)

sport_percent: Final = RuleSystem(
    id="sport-percent",
    version=1,
    title=words("Процентный рейтинг с Ci и коэффициентом сложности", "Percent rating with Ci and difficulty"),
    source="Система ведения рейтинга: процентный рейтинг сезона, турниры с Ci и К",
    table=TEN_SEATS,
    clauses=(SEASON, WIN, AUTO_BONUS, DISQUALIFICATION, PPK, BEST_MOVE, BONUS, CONDUCT, CI, K, TOTAL, TIES),
)
