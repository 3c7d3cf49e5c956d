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
    "A season's rating, in percent: points per game times 100, plus 10 for each game played. Points are for wins, the "
    "judge's bonuses, auto bonuses and best moves, minus penalties.",
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
            "По этой формуле считается сезон клуба, турнир — по сумме баллов за все стадии (пункт total). Формата "
            "текст не называет.",
            "This formula is for club seasons. Tournaments are rated by the sum of points over all stages (clause "
            "total). The text names no format.",
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
    readings=(reading("У удалённого игрока автодоп 0,3 остаётся.", "A removed player keeps the 0.3."),),
)

DISQUALIFICATION: Final = clause(
    "disqualification",
    "- при дисквалификации из-за стола игрок получает штраф -0,5 балла;",
    "A player removed from the table loses 0.5.",
    RemovalPenalty(points="-0.5", when="always", spares_harmless=False, ppk_replaces_removal=True),
    readings=(
        reading(
            "Штраф за ППК (−0,7) заменяет штраф за дисквалификацию (−0,5).",
            "The PPK penalty (-0.7) replaces the one for removal (-0.5).",
            "ppk_replaces_removal",
        ),
        reading(
            "Штраф — при любом исходе, и если игрока удалили уже выбывшим. Отметка «не повлияло» ничего не меняет.",
            "The penalty applies whatever the outcome, even if the player was already out of the game. affected_team "
            "has no effect.",
            "spares_harmless",
        ),
    ),
)

PPK: Final = clause(
    "ppk",
    "- при совершении действий, которые привели к ППК, игрок получает штраф -0,7 балла.",
    "A player whose actions led to PPK loses 0.7.",
    PpkPenalty(points="-0.7"),
    readings=(
        reading("ППК бывает только у проигравшей команды.", "PPK is possible only for a player of the losing team."),
        reading(
            "К одному ППК могут привести несколько игроков: штраф получает каждый.",
            "Several players may cause one PPK: each of them gets the penalty.",
        ),
    ),
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
        reading("В тексте — «игрок»: роль любая.", "The text says “player”: any role.", "roles"),
        reading(
            "Называют ровно три разных места; можно назвать и себя. Шериф — красный, дон — чёрный. ЛХ считается при "
            "любом исходе.",
            "Exactly three different seats are named; naming oneself is allowed. The sheriff is red, the don is black. "
            "The best move counts whatever the outcome.",
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
    "The judge may give extra points, at most 1.6 in total: a winner 0.3 to 0.8 (0.7 and 0.8 only with the chief "
    "judge's approval), a loser 0.2 to 0.5; none in a draw.",
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
        reading(
            "0,7 и больше — по согласованию с главным судьёй.",
            "0.7 or more needs the chief judge's approval.",
            "winner_consent",
        ),
        reading(
            "За главного судью может решить президент клуба.", "The club's president may decide for the chief judge."
        ),
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
            "Слом на 4 штрафуется при любом исходе: условия о поражении в тексте нет.",
            "Breaking into a red at four is penalized whatever the outcome: the text does not ask for a loss.",
            "acts",
        ),
        reading(
            "Штрафы за разные нарушения складываются между собой и со штрафом за дисквалификацию или ППК; одно "
            "нарушение дважды — ошибка.",
            "Penalties for different reasons add up, also with the one for disqualification or PPK; the same reason "
            "twice is an error.",
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
    "(0.4 if i > B) for each of these games that red lost. B is 40% of the player's games in these stages, rounded to "
    "a whole number.",
    FirstKillCoefficient(roles=RED, stages=("qualifying", "semifinal"), most="0.4", share="0.4"),
    Columns(
        columns=(
            column("ci", words("Ci", "Ci"), "ci", 4),
            column("compensation", words("Баллы Ci", "Compensation"), "ci_compensation", 4),
        )
    ),
    readings=(
        reading(
            "В тексте пропал знак: «при iB» читаем как «при i ≤ B». При B = 0 Ci = 0,4.",
            "A sign is missing in the text: “при iB” is read as “if i ≤ B”. If B = 0, Ci = 0.4.",
        ),
        reading(
            "i — отстрелы в первую ночь при любом исходе. Ci начисляется только за игры, где красные проиграли; за "
            "ничьи — нет.",
            "i is the number of first kills, whatever the outcome. Ci is awarded only for games that red lost, not "
            "for draws.",
        ),
        reading(
            "В финале Ci не начисляется; игры финала в дистанцию не входят.",
            "No Ci is awarded in the final, and games of the final are not counted.",
            "stages",
        ),
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
    "In tournaments of at most 20 participants, points for wins of the side that won less often are multiplied by K = "
    "1 + (N/2 - n)/(N/2), where N is the number of games and n the number of wins of that side.",
    DifficultyCoefficient(participants=20),
    Columns(columns=(column("difficulty", words("Надбавка К", "Difficulty"), "difficulty", 4),)),
    readings=(
        reading(
            "N — все игры: и ничьи, и всех стадий. При счёте 2:1 и одной ничьей К = 1,5.",
            "N is the number of all games, including draws and every stage: 2:1 and one draw give K = 1.5.",
        ),
        reading("Побед поровну — тяжёлых игр нет, К = 1.", "With equal wins, neither side is the harder one: K = 1."),
        reading(
            "Участники — все, кто сыграл хотя бы одну игру, включая замены и финалистов.",
            "Participants are all players with at least one game, including substitutes and finalists.",
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
    "Players with equal ratings are ordered by extra points, then wins, then wins as don or sheriff, then first "
    "kills, then by lot.",
    Columns(
        columns=(
            column(
                "lead_wins",
                words("Победы за дона и шерифа", "Wins as don or sheriff"),
                "wins_as_don + wins_as_sheriff",
            ),
            column("first_kills", words("ПУ", "First kills"), "first_kills"),
        )
    ),
    TieBreakers(by=("extra", "wins", "lead_wins", "first_kills"), lot=True),
    readings=(
        reading(
            "По этим же правилам равенство решается и в сезоне клуба.", "The same tie-breakers order a club's season."
        ),
        reading(
            "Пока жребий не тянули, место у равных одно, следующее за ними пропускается: 1, 2, 2, 4.",
            "Until a lot is drawn, equal players share a place, and the next place is skipped: 1, 2, 2, 4.",
        ),
        reading("Отстрелы в первую ночь считаются в любой роли.", "First kills count in any role.", "by"),
        reading(
            "Жребий тянут один раз и только для этой группы равных. Если группа изменилась, он недействителен.",
            "A lot is drawn once, for exactly this group of tied players. If the group changes, the lot is void.",
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
