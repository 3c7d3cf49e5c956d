"""What may stand in the rows of an archive: what answers rely on and an audit does not look at.

Rows of a service are written from what it validated before. Those of a file are as anyone may have written them.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Final, TypeAlias, get_args

import orjson
from pydantic import Field, TypeAdapter, ValidationError

from app.patterns import DAY_END, GAME_ID, KEY_ID, PLAIN_CHARACTER, PLAYER_ID, SLUG
from app.repositories.archive.row_values import Kind
from app.scoring.nickname import folded, is_nickname, strictly_folded
from app.scoring.terms import Format
from app.services.access import ROLES
from app.services.games.needed_approvals import DECIDES, ApprovalState, GameStatus

Fit: TypeAlias = Callable[[Any], object]
"""What a value must satisfy; it is of its column's kind, and not None."""

_LONGEST: Final = 1000
"""Characters of a text of which nothing else is asked."""
_MOST_FACTS: Final = 400_000
"""Characters of a game: a table of twenty with the longest notes and two thousand night actions has fewer."""
_DEEPEST: Final = 8

_Number: TypeAlias = Annotated[int, Field(ge=-(2**63), lt=2**63)]

_STATUSES: Final = frozenset(get_args(GameStatus))
_STATES: Final = frozenset(get_args(ApprovalState))

_is_role: Final = ROLES.__contains__
_is_name: Final = re.compile(f"{PLAIN_CHARACTER}{{1,128}}").fullmatch
_is_reason: Final = re.compile(f"{PLAIN_CHARACTER}{{0,500}}").fullmatch


def _is_json(shape: Any) -> Fit:
    """Whether a text is JSON of just this shape: 1.0 is no whole number, and neither is true."""
    adapter = TypeAdapter[Any](shape)

    def is_such(value: str) -> bool:
        try:
            adapter.validate_json(value, strict=True)
        except ValidationError:
            return False
        return True

    return is_such


def _is_detail(value: str) -> bool:
    """Whether a text is JSON such as changes have: an object of words, whole numbers, lists and objects."""
    try:
        return _is_plain(orjson.loads(value), _DEEPEST)
    except ValueError:
        return False


def _is_plain(value: Any, levels: int) -> bool:
    match value:
        case dict() | list() if levels == 0:
            return False
        case dict():
            return all(_is_plain(member, levels - 1) for member in value.values())
        case list():
            return all(_is_plain(member, levels - 1) for member in value)
        case _:
            return not isinstance(value, float)


def _is_short(value: str) -> bool:
    return len(value) <= _LONGEST


def _is_a_game(value: str) -> bool:
    """Whether it is no longer than a game; the audit reads what it is."""
    return len(value) <= _MOST_FACTS


def _is_anything(_value: str) -> bool:
    return True


_FITS: Final[Mapping[tuple[str, str], Fit]] = {
    ("clubs", "name"): _is_name,
    ("clubs", "day_ends_at"): re.compile(DAY_END).fullmatch,
    ("keys", "public_id"): re.compile(KEY_ID).fullmatch,
    ("keys", "role"): _is_role,
    ("keys", "name"): _is_name,
    ("players", "public_id"): re.compile(PLAYER_ID).fullmatch,
    ("players", "nickname"): is_nickname,
    ("nicknames", "nickname"): is_nickname,
    ("seasons", "slug"): re.compile(SLUG).fullmatch,
    ("seasons", "name"): _is_name,
    ("seasons", "format"): get_args(Format).__contains__,
    ("frozen_seasons", "tables"): _is_anything,  # it is written again
    ("games", "public_id"): re.compile(GAME_ID).fullmatch,
    ("games", "status"): _STATUSES.__contains__,
    ("game_versions", "status"): _STATUSES.__contains__,
    ("game_versions", "role"): _is_role,
    ("game_versions", "reason"): _is_reason,
    ("game_versions", "seated"): _is_json(list[tuple[_Number, _Number, bool]]),
    ("game_versions", "totals"): _is_json(list[tuple[_Number, _Number]]),
    ("game_versions", "facts"): _is_a_game,
    ("approvals", "state"): _STATES.__contains__,
    ("approvals", "decided_role"): _is_role,
    ("approvals", "note"): _is_reason,
    ("former_approvals", "state"): _STATES.__contains__,
    ("former_approvals", "decider"): _is_role,
    ("former_approvals", "decided_role"): _is_role,
    ("former_approvals", "note"): _is_reason,
    ("ledger", "lines"): _is_json(list[tuple[str, str, str, _Number]]),
    ("lots", "tied"): _is_json(list[str]),
    ("lots", "drawn"): _is_json(list[str]),
    ("lots", "role"): _is_role,
    ("withdrawn_lots", "tied"): _is_json(list[str]),
    ("withdrawn_lots", "drawn"): _is_json(list[str]),
    ("withdrawn_lots", "role"): _is_role,
    ("withdrawn_lots", "withdrawn_role"): _is_role,
    ("withdrawn_lots", "reason"): _is_reason,
    ("cup_entries", "role"): _is_role,
    ("changes", "role"): _is_role,
    ("changes", "action"): re.compile("[a-z_]{1,64}").fullmatch,
    ("changes", "target"): re.compile("[a-z0-9][a-z0-9_-]{0,62}").fullmatch,
    ("changes", "reason"): _is_reason,
    ("changes", "detail"): _is_detail,
}


def fit_of(table: str, column: str, kind: Kind) -> Fit | None:
    """What the values of a column must satisfy; None: nothing more than to be of their kind."""
    return _FITS.get((table, column), _is_short if kind == "text" else None)


def unfit_together(table: str, row: Mapping[str, Any]) -> Iterator[str]:
    """The columns that do not go with the others of their row."""
    if table == "nicknames" and row["folded"] not in (folded(row["nickname"]), strictly_folded(row["nickname"])):
        yield "folded"
    elif table == "former_approvals" and not _is_decided(row):
        yield "state"
    elif table == "changes" and row["club_id"] is None:
        yield "club_id"


def _is_decided(row: Mapping[str, Any]) -> bool:
    """Whether an approval is open, or was decided by somebody who may."""
    decision = [row["decided_by"], row["decided_role"], row["at"]]
    if row["state"] == "pending":
        return decision == [None, None, None]
    return None not in decision and row["decider"] in DECIDES.get(row["decided_role"], ())
