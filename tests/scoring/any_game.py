"""Games that a regulation accepts, as hypothesis draws them: facts in the wire's form, points as exact decimals."""

from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from random import Random
from typing import Any, NamedTuple, TypeAlias

from hypothesis import strategies as st

from app.scoring.terms import Format

Wire: TypeAlias = dict[str, Any]
Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]

CITY = {"citizen", "sheriff", "doctor", "commissar"}
TEN = ("citizen",) * 6 + ("sheriff", "mafia", "mafia", "don")
NAMES = (
    *("Ann", "bob b", "CID", "Мадам Ли", "Ёж", "Straße", "Dr. No", "q", "Zoë", "x1", "Лис 2", "Ой"),
    *("p13", "p14", "p15", "p16", "p17", "p18", "p19", "p20", "p21"),
)
CONDUCT: dict[str, Sequence[str]] = {
    "citizen": ("broke_red_at_ten", "broke_red_at_four", "false_sheriff_check"),
    "sheriff": ("broke_red_at_ten", "false_sheriff_check"),
    "mafia": ("black_fake_sheriff",),
    "don": ("black_fake_sheriff",),
}


class BonusLimits(NamedTuple):
    """Least and most for a winner and a loser, players and sum; in hundredths."""

    won: tuple[int, int]
    lost: tuple[int, int]
    players: int
    total: int


CLUB_BONUS = BonusLimits(won=(1, 70), lost=(1, 40), players=3, total=100)
PERCENT_BONUS = BonusLimits(won=(30, 80), lost=(20, 50), players=10, total=160)


def seasons(system: str, format: Format, *, most: int = 8) -> st.SearchStrategy[list[Wire]]:
    """A few games of one season or tournament; the same players meet again, friendly and cancelled games too."""
    return st.lists(games(system, format), max_size=most)


@st.composite
def games(draw: Draw, system: str, format: Format | None = None, outcomes: Sequence[str] = ()) -> Wire:
    """One game that ``system`` accepts; ``outcomes``: those to choose from, else any."""
    seats = _seats(draw, _city_roles(draw) if system == "city-average" else TEN)
    game: Wire = {"outcome": draw(st.sampled_from(outcomes or outcomes_of(seats))), "seats": seats}
    if draw(st.booleans()):
        game["first_kill"] = {"seat": draw(_seat_of(seats)), "best_move": draw(_best_moves(seats))}
    for seat in draw(_some(seats, 2)):
        seat["removed"] = draw(st.sampled_from((True, {"affected_team": True}, {"affected_team": False})))
    {"maffamily": _add_club, "sport-percent": _add_percent, "city-average": _add_city}[system](draw, game)
    if format == "tournament":
        game["stage"] = draw(st.sampled_from(("qualifying", "semifinal", "final")))
    fate = draw(st.sampled_from(("counted", "counted", "counted", "counted", "friendly", "cancelled")))
    if not outcomes and fate == "friendly":
        game["rated"] = False
    if not outcomes and fate == "cancelled":
        game |= {"cancelled": True, "outcome": draw(st.sampled_from((None, game["outcome"])))}
    return game


@st.composite
def faulty_games(draw: Draw, system: str) -> Wire:
    """One game whose facts need not make sense, on different seats and with different players."""
    anything: dict[str, st.SearchStrategy[Any]] = {
        "role": st.sampled_from((*CONDUCT, "doctor", "maniac", "cook")),
        "bonus": st.integers(-200, 1500).map(lambda thousandths: Decimal(thousandths).scaleb(-3)),
        "penalties": st.lists(st.sampled_from((*CONDUCT["citizen"], "black_fake_sheriff", "late")), max_size=3),
        "days_lived": st.integers(-3, 30),
        "removed": st.booleans(),
    }
    game: Wire = draw(games(system))
    for seat in draw(_some(game["seats"], 4)):
        field = draw(st.sampled_from(sorted(anything)))
        seat[field] = draw(anything[field])
    game["outcome"] = draw(st.sampled_from(("red", "black", "draw", "maniac")))
    game["first_kill"] = {
        "seat": draw(st.none() | st.integers(0, 12)),
        "best_move": draw(st.lists(st.integers(0, 12), max_size=4)),
    }
    game["ppk"] = draw(st.lists(st.integers(0, 12), max_size=2))
    game["draw_makers"] = draw(st.none() | st.lists(st.integers(0, 12), max_size=3))
    return game


def respelled(name: str) -> st.SearchStrategy[str]:
    """The same nickname in another case, with more spaces, in full-width letters."""
    wide = name.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)})
    cases = (name, name.upper(), name.lower(), name.casefold(), name.swapcase(), wide)
    spaces = (str, lambda text: f"  {text} ", lambda text: text.replace(" ", "   "), lambda text: f"{text}\u00a0")
    return st.builds(lambda spelling, spaced: spaced(spelling), st.sampled_from(cases), st.sampled_from(spaces))


def team(role: str) -> str:
    """The team of a role."""
    return "maniac" if role == "maniac" else "red" if role in CITY else "black"


def outcomes_of(seats: Sequence[Wire]) -> list[str]:
    """How a game of these seats can end: a team that is not at the table cannot win."""
    return ["draw", *sorted({team(seat["role"]) for seat in seats})]


def _seats(draw: Draw, roles: Sequence[str]) -> list[Wire]:
    # Who sits where comes from one number: drawn name by name it would cost more than all the rest.
    chance = Random(draw(st.integers(0, 2**32)))
    dealt = chance.sample(roles, len(roles))
    players = chance.sample(NAMES[: len(roles) + 2], len(roles))
    return [
        {"seat": number, "player": player, "role": role}
        for number, (role, player) in enumerate(zip(dealt, players, strict=True), start=1)
    ]


def _city_roles(draw: Draw) -> list[str]:
    size = draw(st.integers(5, 12) | st.just(20))
    single = draw(st.lists(st.sampled_from(("sheriff", "doctor", "commissar", "maniac", "don")), unique=True))
    mafia = draw(st.integers(0 if "don" in single else 1, 3))
    roles = [*single, *["mafia"] * mafia][:size]
    return roles + ["citizen"] * (size - len(roles))


def _seat_of(seats: Sequence[Wire]) -> st.SearchStrategy[int]:
    return st.sampled_from([seat["seat"] for seat in seats])


def _some(seats: list[Wire], most: int) -> st.SearchStrategy[list[Wire]]:
    places = st.lists(st.integers(0, len(seats) - 1), max_size=most, unique=True) if seats else st.just([])
    return places.map(lambda chosen: [seats[place] for place in chosen])


def _best_moves(seats: Sequence[Wire]) -> st.SearchStrategy[list[int]]:
    return st.just([]) | st.lists(_seat_of(seats), min_size=3, max_size=3, unique=True)


def _add_club(draw: Draw, game: Wire) -> None:
    _add_bonuses(draw, game, CLUB_BONUS)
    for seat in draw(_some(_losers(game), 3)):
        reasons = st.sampled_from((*CONDUCT[seat["role"]], "discretionary"))
        seat["penalties"] = draw(st.lists(reasons, max_size=2, unique=True))


def _add_percent(draw: Draw, game: Wire) -> None:
    _add_bonuses(draw, game, PERCENT_BONUS)
    losers = _losers(game)
    for seat in draw(_some(losers, 3)):
        seat["penalties"] = draw(st.lists(st.sampled_from(CONDUCT[seat["role"]]), max_size=2, unique=True))
    for seat in draw(_some([seat for seat in game["seats"] if seat["role"] == "citizen"], 1)):
        seat["penalties"] = ["broke_red_at_four"]
    if losers:
        game["ppk"] = draw(st.none() | _seat_of(losers) | st.lists(_seat_of(losers), max_size=2, unique=True))


def _add_city(draw: Draw, game: Wire) -> None:
    seats: list[Wire] = game["seats"]
    live = [seat for seat in seats if team(seat["role"]) == game["outcome"]]
    if game["outcome"] == "draw":
        live = draw(st.just([]) | _some(seats, 2).filter(lambda makers: len(makers) == 2))
        game["draw_makers"] = [seat["seat"] for seat in live]
    for seat in [*live, *draw(_some(seats, 2))]:
        seat["days_lived"] = draw(st.integers(0, 6))
    for seat in draw(_some(seats, 2)):
        seat["registered"] = draw(st.booleans())
    actors: Mapping[str, Wire] = {seat["role"]: seat for seat in seats if seat["role"] in CITY - {"citizen"}}
    alive = {seat["seat"] for seat in seats}
    for night in range(1, draw(st.integers(1, 5))) if actors else ():
        asked = draw(st.lists(st.sampled_from(sorted(actors)), max_size=3, unique=True))
        acts = [_act(draw, night, role, actors[role]["seat"], alive) for role in asked if actors[role]["seat"] in alive]
        game.setdefault("night_actions", []).extend(acts)
        saved = {act["target"] for act in acts if act.get("saved")}
        for act in acts:
            if act["target"] in saved and "died" in act:
                act["died"] = False
            if act.get("died"):
                alive.discard(act["target"])


def _act(draw: Draw, night: int, role: str, seat: int, alive: Collection[int]) -> Wire:
    """What a player does in a night to one who was alive when it began."""
    act = {"night": night, "seat": seat, "target": draw(st.sampled_from(sorted(alive)))}
    if role != "commissar":
        act["saved" if role == "doctor" else "died"] = draw(st.booleans())
    return act


def _add_bonuses(draw: Draw, game: Wire, limits: BonusLimits) -> None:
    left = limits.total
    for seat in draw(_some(game["seats"], limits.players)) if game["outcome"] != "draw" else ():
        least, most = limits.won if team(seat["role"]) == game["outcome"] else limits.lost
        if least <= min(most, left):
            hundredths = draw(st.integers(least, min(most, left)))
            seat["bonus"] = Decimal(hundredths).scaleb(-2)
            left -= hundredths


def _losers(game: Wire) -> list[Wire]:
    return [seat for seat in game["seats"] if game["outcome"] not in ("draw", team(seat["role"]))]
