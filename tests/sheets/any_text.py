"""Games whose texts, roles, penalties and numbers are anything that the wire's shape allows."""

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from app.scoring.game import Game
from app.scoring.nickname import Nickname

_NAME: TypeAdapter[str] = TypeAdapter(Nickname)
WHOLE = st.one_of(st.integers(-2, 12), st.integers(1 - 2**53, 2**53 - 1))
COUNT = st.integers(0, 1_000_000)
SPICE = st.sampled_from(
    ["=1+1", "+7", "-", "–", "@x", "'", "''", "'=1", '"', '"a"', "[1]", "[", "yes", "no", "1", "0", "389", "мирный"]
    + ["#N/A", "citizen", "Citizen", "a;b", "a,b", "a;=cmd()", "x\n=1", "_x000D_", "\r", "\t", " a ", "", "2025-03-14"]
    + ["Ёж", "12.5", "1e5", "true", "\u2028", "\ufeff", "nobody", "\x85", "\x00", "\U0001f600", "\uffff", "sep=;"]
)
NO_CONTROLS = "[^\x00-\x1f\x7f-\x9f]*"


def texts(least: int, most: int, *, controls: bool = False) -> st.SearchStrategy[str]:
    """Any text of so many characters, often one that a sheet could take for something else."""
    letters = st.text(st.characters(codec="utf-8"), min_size=least, max_size=min(most, 12))
    mixed = st.builds(lambda *parts: "".join(parts)[:most], SPICE, letters, SPICE)
    possible = st.one_of(SPICE, letters, mixed).filter(lambda text: least <= len(text) <= most)
    if controls:
        return possible
    return possible.map(lambda text: "".join(c for c in text if not (ord(c) < 32 or 127 <= ord(c) < 160))).filter(
        lambda text: len(text) >= least
    )


def _is_name(text: str) -> bool:
    """Whether a seat can be taken under it: something of it shows."""
    try:
        return bool(_NAME.validate_python(text))
    except ValidationError:
        return False


CODES = texts(1, 64, controls=True)
BONUSES = st.one_of(
    st.none(),
    st.integers(-(10**6), 10**6).map(lambda cents: Decimal(cents).scaleb(-2)),
    st.decimals(-(10**20), 10**20, allow_nan=False, places=9).filter(lambda number: len(str(number)) < 30),
)


def _optional(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


SEATS = st.fixed_dictionaries(
    {
        "seat": WHOLE,
        "player": texts(1, 64).filter(_is_name),
        "role": st.one_of(CODES, st.sampled_from(("citizen", "mafia", "don", "sheriff", "jester"))),
        "bonus": BONUSES,
        "bonus_note": _optional(texts(0, 40, controls=True)),
        "penalties": st.lists(st.one_of(CODES, st.just("broke_red_at_ten")), max_size=3),
        "removed": st.sampled_from((None, True, {"affected_team": False})),
        "fouls": _optional(COUNT),
        "days_lived": _optional(WHOLE),
        "registered": _optional(st.booleans()),
    }
)
ACTS = st.fixed_dictionaries(
    {"night": COUNT, "seat": WHOLE, "target": WHOLE, "saved": st.booleans(), "died": st.booleans()}
)
NUMBERS = st.lists(WHOLE, max_size=4)
GAMES = st.fixed_dictionaries(
    {
        "external_id": _optional(texts(1, 128)),
        "played_on": _optional(st.dates().map(lambda day: day.isoformat())),
        "table": _optional(COUNT),
        "number": _optional(COUNT),
        "judge": _optional(texts(0, 60)),
        "stage": st.sampled_from((None, "qualifying", "semifinal", "final")),
        "outcome": st.sampled_from(("red", "black", "maniac", "draw")),
        "rated": st.booleans(),
        "cancelled": st.booleans(),
        "seats": st.lists(SEATS, max_size=5),
        "first_kill": _optional(st.fixed_dictionaries({"seat": _optional(WHOLE), "best_move": NUMBERS})),
        "ppk": NUMBERS,
        "draw_makers": _optional(NUMBERS),
        "night_actions": st.lists(ACTS, max_size=4),
    }
).map(Game.read)
