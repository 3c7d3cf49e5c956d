"""The city rating, average plus participation: clause by clause, in the order of its regulation.

The text has no clause numbers; the ids are ours. «Sheriff» here shoots and «commissar» checks.
"""

from typing import Final

from app.scoring.rule_system import RuleSystem
from app.scoring.rules.city import DaysLived, NightCheck, NightHeal, NightKill, NightRecord
from app.scoring.rules.season import Participation
from app.scoring.rules.table_rules import Columns, Order, Publication, Registration
from app.scoring.table import RoleCount, Table
from app.scoring.terms import Result
from app.scoring.text import words
from app.scoring.vocabulary import (
    CITIZEN,
    COMMISSAR,
    DOCTOR,
    DON,
    GAMES,
    MAFIA,
    MANIAC,
    POINTS,
    SHERIFF,
    WIN_RATE,
    WINS,
    clause,
    column,
    reading,
)

_ANY_RESULT: Final[tuple[Result, ...]] = ("won", "lost", "draw")
_WHATEVER_THE_RESULT: Final = reading(
    "При любом исходе: победа, поражение, ничья.", "Whatever the outcome: a win, a loss or a draw.", "results"
)
_AT_MOST_ONE: Final = tuple(
    RoleCount(roles=(role,), most=1) for role in ("sheriff", "doctor", "commissar", "don", "maniac")
)

AVERAGE: Final = clause(
    "average",
    """\
Рейтинг по Мафии состоит из двух частей и нескольких дополнительных условий.
Первая часть – игровая
В этой части рейтинг игрока считается по среднему количеству баллов, получаемых им за игру в Мафию. Это показатель \
силы игрока на дистанции. Рейтинг считается по формуле
СКБ = СУММА / ИГР
СКБ -Среднее кол-во баллов
СУММА - Сумма баллов за все игры участника
ИГР – количество игр, проведенных участником
Пример: Если игрок сыграл три игры набрав 2, 3 и -1 бал соответственно, то средний бал будет равен: (2+3-1)/(3 игры) \
= 1,33 балла. Полученные по формуле баллы округляются до 2 знаков после запятой.""",
    "First part: the average points per game, rounded to 2 decimals: (2 + 3 - 1)/3 = 1.33.",
    Columns(
        columns=(
            GAMES,
            WINS,
            WIN_RATE,
            POINTS,
            column("average", words("Средний балл", "Average"), "round(points / games, 2)", 2),
        )
    ),
    readings=(
        reading(
            "Ровно половина округляется от нуля: 0,125 — это 0,13.",
            "Exactly half is rounded away from zero: 0.125 becomes 0.13.",
            "columns",
        ),
    ),
)

MAIN: Final = clause(
    "main",
    """\
Как считаются баллы за одну игру
Баллы за игру (БИ) это совокупность из основных и дополнительных баллов:
БИ = ОБ + ДБ
БИ – баллы за игру,
ОБ – основные баллы,
ДБ – дополнительные баллы
Основные баллы:
1) Количество прожитых дней игрока победившей стороны
2) В случае ничьи баллы получат только два игрока создавших ничью
!Исключение!: баллы нейтральных персонажей (Маньяк) в случаи их победы перемножаются на 2""",
    "A winner gets 1 point for each day lived. In a draw, only the 2 players who made it get points. If the maniac "
    "wins, the maniac's points are multiplied by 2.",
    DaysLived(per_day="1", multiplier={"maniac": 2}, draw_makers=2, draw_per_day="1", most_days=50),
    readings=(
        reading(
            "При ничьей двое, кто её сделал, получают по баллу за прожитый день, без удвоения: сколько баллов, текст "
            "не называет.",
            "In a draw, the two who made it get 1 point for each day lived, never doubled: the text names no amount.",
            "draw_per_day",
        ),
        reading(
            "День прожит, если игрок был жив в его начале. День, когда игрок заголосован, считается. Убитый в ночь "
            "перед первым днём прожил 0 дней.",
            "A day counts if the player was alive when it began. The day on which the player is voted out counts. A "
            "player killed in the night before day 1 has lived 0 days.",
        ),
        reading(
            "Больше 50 дней игра не длится: такое число — опечатка.",
            "No game lasts more than 50 days: a larger number is a typing error.",
            "most_days",
        ),
    ),
)

NIGHT: Final = clause(
    "night",
    """\
Дополнительные баллы:
Дополнительные баллы начисляются за удачные ночные действия игроков играющих за город!
Дополнительные баллы присуждаются ВНЕ зависимости от победы или поражения игрока.""",
    "Extra points for successful night actions of the city's players, whether their team won or lost.",
    NightRecord(roles=("sheriff", "doctor", "commissar"), healer="doctor"),
    readings=(
        reading(
            "За ночь у игрока одно действие.",
            "A player acts once a night.",
        ),
        reading(
            "Протокол, в котором ночи противоречат друг другу, не принимается: убитый шерифом в следующие ночи не "
            "действует и не может быть целью. Что было раньше в одну и ту же ночь, неизвестно, поэтому в ней возможно "
            "всё. С прожитыми днями ночи не сравниваются: как их нумеруют, в тексте не сказано.",
            "A game whose nights contradict each other is rejected: whoever the sheriff killed neither acts nor is a "
            "target in later nights. The order within a night is unknown, so anything may happen in the same night. "
            "Nights are not compared with days lived: the text does not say how nights are numbered.",
        ),
    ),
)

SHERIFF_SHOTS: Final = clause(
    "sheriff",
    "1) Шериф - удачное убийство (мафия) +1 балл, неудачное (игрока за город) -1 балл",
    "Sheriff: +1 for killing a mafia, -1 for killing a player of the city.",
    NightKill(
        role="sheriff",
        results=_ANY_RESULT,
        killed={"black": "1", "red": "-1", "maniac": "0"},
        healed={"black": "0", "red": "0", "maniac": "0"},
    ),
    readings=(
        reading(
            "Шериф, застреливший себя, убил игрока города: −1. За маньяка — 0.",
            "A sheriff who shoots themselves has killed a player of the city: -1. Killing the maniac gives 0.",
            "killed",
        ),
        reading(
            "Если доктор спас цель, за выстрел — 0, и у него отметка, что цель осталась жива (died: false). Убить и "
            "спасти одного игрока в одну ночь нельзя.",
            "If the doctor saves the target, the shot gives 0 and is recorded with died: false. Nobody is both saved "
            "and killed in one night.",
            "healed",
        ),
        _WHATEVER_THE_RESULT,
    ),
)

DOCTOR_HEALS: Final = clause(
    "doctor",
    "2) Доктор - удачное лечение +1 балл, неудачное (игрока за Мафию или Маньяка) - 1 балл",
    "Doctor: +1 for a successful heal, -1 for healing a mafia or the maniac.",
    NightHeal(
        role="doctor",
        results=_ANY_RESULT,
        saved={"red": "1", "black": "-1", "maniac": "-1"},
        unsaved={"red": "0", "black": "-1", "maniac": "-1"},
    ),
    readings=(
        reading(
            "Удачное лечение — то, что спасло игрока города, себя тоже (отметка «спас», saved). Любое другое лечение "
            "игрока города — 0.",
            "A heal is successful if it saved a player of the city (saved: true), including the doctor. Any other "
            "heal of the city gives 0.",
            "unsaved",
        ),
        _WHATEVER_THE_RESULT,
    ),
)

COMMISSAR_CHECKS: Final = clause(
    "commissar",
    "3) Комиссар - удачная проверка игрока за Мафию + 1 балл",
    "Commissar: +1 for checking a player of the mafia.",
    NightCheck(role="commissar", results=_ANY_RESULT, checked={"black": "1", "red": "0", "maniac": "0"}),
    readings=(
        reading(
            "Дон — тоже мафия. Повторная проверка того же игрока снова даёт балл.",
            "The don is mafia too. Checking the same player again gives the point again.",
            "checked",
        ),
        _WHATEVER_THE_RESULT,
    ),
)

PARTICIPATION: Final = clause(
    "participation",
    """\
Вторая часть – участие
В этой части рейтинга количество баллов зависит не от количества ваших игр, а от того , насколько чаще вы играете \
своих оппонентов. Коэффициент участия (КУ) считается по формуле:
КУ = (КОЛ+1- МЕСТО)/КОЛ * КОУ, где
КУ - коэффициент участия
КОЛ – количество участников рейтинга
МЕСТО – ваше место по количеству игр среди всех участников в клубе
КОУ – коэффициент участия игрока.
Примечание: В настоящей редакции КОУ будет равен 1, однако может быть изменен в последующем.
Таким образом, максимальное количество баллов, полученных участником за участие будет составлять 1*КОУ (участник \
сыгравший наибольшее количество игр), а минимальное – КОУ/КОЛ (участник сыгравший наименьшее количество игр).
Пример1 : В рейтинге участвуют 3 игрока. Первый сыграл 500 игр, второй 100 игр, третий только 20 игр. В результате по \
описанной формуле первый игрок получит 1 балл, второй игрок – 0,66 баллов, третий игрок – 0,33 балла.
Пример 2: При участии 5 игроков в рейтинге. Сыгравший наибольшее количество игр получит 1 балл, второй - 0,8 балла, \
третий - 0,6 балла, четвертый 0,4 балла и меньше всего сыгравший игр – 0,2 балла.""",
    "Second part: (N + 1 - place)/N times the factor (1), truncated to 2 decimals. N is the number of participants; "
    "places go by number of games.",
    Participation(factor="1", decimals=2),
    Columns(
        columns=(
            column("participation", words("Участие", "Participation"), "participation", 2),
            column("place_by_games", words("Место по играм", "Place by games"), "place_by_games"),
        )
    ),
    readings=(
        reading(
            "КОЛ — все зарегистрированные игроки хотя бы с одной рейтинговой игрой, даже если они ещё не опубликованы.",
            "N is the number of registered players with at least one rated game, published or not.",
        ),
        reading(
            "При равном числе игр место у всех одно — лучшее.",
            "Players with the same number of games share the better place.",
        ),
        reading(
            "КУ обрезается до двух знаков, а не округляется: в примере текста 2/3 — это 0,66.",
            "Participation is truncated to two decimals, not rounded: the text's example gives 2/3 as 0.66.",
            "decimals",
        ),
    ),
)

RATING: Final = clause(
    "rating",
    """\
ИТОГ
Общий рейтинг участника мафии складывается из суммы среднего количества баллов и коэффициента участия.
РЕЙТ = СКБ+КУ""",
    "The rating is the average plus participation.",
    Columns(columns=(column("rating", words("Рейтинг", "Rating"), "average + participation", 4),)),
    Order(by=("rating", "average", "points")),
    readings=(
        reading(
            "СКБ и КУ складываются уже с двумя знаками. Места — только среди опубликованных игроков.",
            "Both parts have two decimals when they are added. Only published players have a rank.",
        ),
        reading(
            "При равном рейтинге место у игроков одно, следующее за ними пропускается: 1, 2, 2, 4.",
            "Players with equal ratings share a place, and the next place is skipped: 1, 2, 2, 4.",
        ),
    ),
)

REGISTRATION: Final = clause(
    "registration",
    """\
Дополнительные условия
• Для участия в рейтинге необходима регистрация на сайте Клуба
• Для участия в рейтинге необходимо перед игрой зарегистрироваться у ведущего игры""",
    "Only players who are registered with the club, and with the judge before the game, are rated.",
    Registration(default=True),
    readings=(
        reading(
            "Незарегистрированные видят свои баллы в разборе игры, но не входят ни в КОЛ, ни в суммы. Кто "
            "зарегистрируется позже, участвует в рейтинге с того дня.",
            "Other players see their points in the breakdown but count neither in N nor in any sum. A player who "
            "registers later is rated from then on.",
            "default",
        ),
    ),
)

PUBLICATION: Final = clause(
    "publication",
    "• Для публикации в рейтинге необходимо сыграть не менее 10 игр",
    "Only players with at least 10 games are published.",
    Publication(games=10),
    readings=(
        reading(
            "Остальных в таблице не видно, но они входят в КОЛ и в места по играм.",
            "The other players are not in the table, but they count in N and in the places by games.",
            "games",
        ),
    ),
)

city_average: Final = RuleSystem(
    id="city-average",
    version=1,
    title=words("Средний балл и участие (городская мафия)", "Average points plus participation (city games)"),
    source="Рейтинг по Мафии из двух частей: игровой и участия",
    table=Table(
        least=5,
        most=20,
        roles={
            "citizen": CITIZEN,
            "sheriff": SHERIFF,
            "doctor": DOCTOR,
            "commissar": COMMISSAR,
            "mafia": MAFIA,
            "don": DON,
            "maniac": MANIAC,
        },
        counts=(RoleCount(roles=("mafia", "don"), least=1), *_AT_MOST_ONE),
        readings=(
            reading("За столом не меньше 5 мест.", "The table has at least 5 seats.", "least"),
            reading("За столом не больше 20 мест.", "The table has at most 20 seats.", "most"),
            reading(
                "Хотя бы одна мафия или дон; не больше одного шерифа, доктора, комиссара, дона и маньяка.",
                "At least one mafia or don; at most one each of sheriff, doctor, commissar, don and maniac.",
                "counts",
            ),
        ),
    ),
    clauses=(
        AVERAGE,
        MAIN,
        NIGHT,
        SHERIFF_SHOTS,
        DOCTOR_HEALS,
        COMMISSAR_CHECKS,
        PARTICIPATION,
        RATING,
        REGISTRATION,
        PUBLICATION,
    ),
)
