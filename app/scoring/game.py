"""A game as the judge saw it: facts only, no points."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Final, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    PlainValidator,
    StringConstraints,
    ValidationInfo,
    WithJsonSchema,
    WrapValidator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, PydanticKnownError, core_schema

from app.patterns import PLAIN_TEXT, PLAYER_ID
from app.scoring.nickname import AS_STORED, SHAPE, as_sent, without_invisible
from app.scoring.points import WRITTEN_PATTERN, NotANumber, number_of, plain
from app.scoring.terms import ExitWay, Outcome, Stage

UNFINISHED: Final = "unfinished"
"""The context in which a game may have no outcome yet."""

_PLAYER_ID: Final = re.compile(PLAYER_ID)
_ISO_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_SAFE_INTEGER: Final = 2**53 - 1
MOST_SEATS: Final = 100
_MOST_ACTIONS: Final = 2000

Whole = Annotated[int, Field(strict=True, ge=-_SAFE_INTEGER, le=_SAFE_INTEGER)]
"""A whole number; whether it names a seat or a day of this game is for the rules to say."""

Count = Annotated[int, Field(strict=True, ge=0, le=1_000_000)]
Flag = Annotated[bool, Field(strict=True)]
Name = Annotated[str, StringConstraints(strict=True, max_length=200)]
"""Of a role or a penalty; which there are is for the rules to say."""

Line = Annotated[str, StringConstraints(strict=True, max_length=200, pattern=PLAIN_TEXT)]
Note = Annotated[str, StringConstraints(strict=True, max_length=2000)]


def _day(value: object) -> date:
    if type(value) is str and _ISO_DAY.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise PydanticCustomError("date", "expected a day such as 2025-03-14")


def _bonus(value: object) -> Decimal | None:
    """A bonus of 0 is no bonus."""
    if value is None:
        return None
    try:
        return plain(number_of(value)) or None
    except NotANumber as error:
        raise PydanticCustomError("number", str(error)) from None


def _removed(value: object) -> object:
    if value is True:
        return {}
    return None if value is False else value


class _LoneSeat(tuple[int, ...]):
    """One seat that was written without a list, so that its JSON pointer has no index."""

    __slots__ = ()


def _or_true(value: object) -> object:
    return True if value is None else value


def _or_false(value: object) -> object:
    return False if value is None else value


TrueByDefault = Annotated[Flag, BeforeValidator(_or_true, json_schema_input_type=bool | None)]
"""A flag that is true when null or absent."""

FalseByDefault = Annotated[Flag, BeforeValidator(_or_false, json_schema_input_type=bool | None)]


@dataclass(frozen=True)
class UpTo:
    """A list of at most ``most`` members, counted before they are looked at: wrong ones cost seconds a megabyte.

    ``null_is_empty``: null means absent, and so does an empty list.
    """

    most: int
    null_is_empty: bool = True

    def check(self, value: object) -> object:
        """``value``, unless it is a longer list."""
        if isinstance(value, list) and len(value) > self.most:
            raise PydanticKnownError(
                "too_long", {"field_type": "List", "max_length": self.most, "actual_length": len(value)}
            )
        return () if value is None and self.null_is_empty else value

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Count first, then read the members."""
        return core_schema.no_info_before_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The list with its ``maxItems``, or null where that may be sent."""
        listed = {**handler(schema), "maxItems": self.most}
        return {"anyOf": [listed, {"type": "null"}]} if self.null_is_empty and handler.mode == "validation" else listed


def _one_or_many(value: object, read: Callable[[object], tuple[int, ...]]) -> tuple[int, ...]:
    return _LoneSeat(read([value])) if type(value) is int else read(UpTo(MOST_SEATS).check(value))


Day = Annotated[
    date,
    PlainValidator(_day),
    PlainSerializer(date.isoformat, return_type=str),
    WithJsonSchema({"type": "string", "format": "date"}),
]
_NUMBER_SCHEMA: Final[dict[str, Any]] = {
    "anyOf": [{"type": "number"}, {"type": "string", "pattern": WRITTEN_PATTERN}, {"type": "null"}]
}
Bonus = Annotated[Decimal | None, PlainValidator(_bonus), WithJsonSchema(_NUMBER_SCHEMA)]


class _Facts(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Removed(_Facts):
    """The player was removed from the table. ``affected_team`` is the judge's decision whether this harmed the team."""

    affected_team: TrueByDefault = True
    reason: Name | None = None


class Exit(_Facts):
    """How a player left the table, and on which day; day 1 comes after night 1, whose kill belongs to it."""

    how: ExitWay
    day: Annotated[Count, Field(ge=1)] | None = None


def _player(value: Any, info: ValidationInfo) -> Any:
    """A :data:`~app.scoring.nickname.Nickname`; most are plain, and a game has ten."""
    return value if type(value) is str and value.isascii() else as_sent(value, info)


def called_by_id(seats: Any) -> Any:
    """Seats as they were sent, where the id of a player stands for a nickname that is missing."""
    if not isinstance(seats, list):
        return seats
    called = []
    for seat in seats:
        if isinstance(seat, dict) and seat.get("player") is None and seat.get("player_id") is not None:
            id = seat["player_id"]
            seat = {**seat, "player": id if isinstance(id, str) and _PLAYER_ID.fullmatch(id) else "?"}
        called.append(seat)
    return called


class Seat(_Facts):
    """One player at the table, with the judge's notes."""

    seat: Whole
    player: Annotated[str, SHAPE, BeforeValidator(_player)]
    role: Name
    bonus: Bonus = None
    bonus_note: Note | None = None
    penalties: Annotated[tuple[Name, ...], UpTo(MOST_SEATS)] = ()
    marks: Annotated[tuple[Name, ...], UpTo(MOST_SEATS)] = ()
    exit: Exit | None = None
    removed: Annotated[Removed | None, BeforeValidator(_removed, json_schema_input_type=bool | Removed | None)] = None
    fouls: Count | None = None
    days_lived: Whole | None = None
    registered: Flag | None = None


class FirstKill(_Facts):
    """The player shot in the first night and the three seats that this player named as black."""

    seat: Whole | None = None
    best_move: Annotated[tuple[Whole, ...], UpTo(MOST_SEATS)] = ()


def _kill_or_none(kill: FirstKill | None) -> FirstKill | None:
    return None if kill is not None and kill.seat is None and not kill.best_move else kill


class TeamMark(_Facts):
    """What the judge noted of a whole team, such as a clean win."""

    team: Name
    code: Name


class Vote(_Facts):
    """One vote of a seat against a seat; ``round`` is the number of the voting of that day."""

    day: Annotated[Count, Field(ge=1)]
    round: Annotated[Count, Field(ge=1)] = 1
    seat: Whole
    target: Whole


class Claim(_Facts):
    """What a protocol says of a seat: its team or its role."""

    seat: Whole
    team: Name | None = None
    role: Name | None = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if (self.team is None) == (self.role is None):
            raise PydanticCustomError("claim", "expected either team or role")
        return self


class Protocol(_Facts):
    """The colours and roles that a player left to the others."""

    seat: Whole
    claims: Annotated[tuple[Claim, ...], UpTo(MOST_SEATS)] = ()


class NightAction(_Facts):
    """A night action of a seat. The kind of action follows from the role."""

    night: Count
    seat: Whole
    target: Whole
    saved: FalseByDefault = False
    died: TrueByDefault = True


def _outcome_of_played(outcome: Outcome | None, info: ValidationInfo) -> Outcome | None:
    if outcome is None and not info.data.get("cancelled") and info.context != UNFINISHED:
        raise PydanticCustomError("missing", "expected the outcome of a game that was not cancelled")
    return outcome


def _external_id(value: object, info: ValidationInfo) -> object:
    """An id as it will be stored: trimmed as nicknames are, and absent where nothing is left."""
    if type(value) is not str or info.context == AS_STORED:
        return value
    return (value if value.isascii() else without_invisible(value)).strip() or None


class Game(_Facts):
    """The facts of one game.

    Null means missing, and so do an empty list (except ``draw_makers: []``: nobody made the draw) and a bonus of 0.
    """

    external_id: Annotated[
        Annotated[str, StringConstraints(strict=True, max_length=128, pattern=PLAIN_TEXT)] | None,
        BeforeValidator(_external_id),
        Field(description="Trimmed as nicknames are; blank means absent."),
    ] = None
    played_on: Annotated[Day | None, Field()] = None
    table: Count | None = None
    number: Count | None = None
    judge: Line | None = None
    stage: Stage | None = None
    rated: TrueByDefault = True
    cancelled: FalseByDefault = False
    outcome: Annotated[
        Outcome | None,
        AfterValidator(_outcome_of_played),
        Field(validate_default=True, description="Required unless the game was cancelled."),
    ] = None
    seats: Annotated[tuple[Seat, ...], UpTo(MOST_SEATS, null_is_empty=False)]
    first_kill: Annotated[FirstKill | None, AfterValidator(_kill_or_none)] = None
    ppk: Annotated[
        tuple[Whole, ...],
        WrapValidator(
            _one_or_many, json_schema_input_type=Whole | Annotated[list[Whole], Field(max_length=MOST_SEATS)] | None
        ),
    ] = ()
    draw_makers: Annotated[tuple[Whole, ...], UpTo(MOST_SEATS, null_is_empty=False)] | None = None
    night_actions: Annotated[tuple[NightAction, ...], UpTo(_MOST_ACTIONS)] = ()
    team_marks: Annotated[tuple[TeamMark, ...], UpTo(MOST_SEATS)] = ()
    votes: Annotated[tuple[Vote, ...], UpTo(_MOST_ACTIONS)] = ()
    protocols: Annotated[tuple[Protocol, ...], UpTo(MOST_SEATS)] = ()

    @classmethod
    def read(cls, value: object) -> Self:
        """The game that parsed JSON describes (:func:`app.scoring.exact_json.loads`).

        Raises:
            pydantic.ValidationError: the value has another shape; locations are JSON pointers in parts.
        """
        return cls.model_validate(value)

    @classmethod
    def stored(cls, value: object) -> Self:
        """The game that stored facts describe: as :meth:`read`, nicknames as they were written."""
        return cls.model_validate(value, context=AS_STORED)

    def ppk_pointer(self, index: int) -> str:
        """Where in the JSON the seat ``ppk[index]`` was written."""
        return "/ppk" if isinstance(self.ppk, _LoneSeat) else f"/ppk/{index}"

    def canonical(self) -> dict[str, Any]:
        """The facts in the one form that answers carry: what is absent left out, ``removed`` an object."""
        facts = self.model_dump(exclude_none=True)
        for seat in facts["seats"]:
            if not seat["penalties"]:
                del seat["penalties"]
            if not seat["marks"]:
                del seat["marks"]
        if not self.ppk:
            del facts["ppk"]
        for name in ("night_actions", "team_marks", "votes", "protocols"):
            if not facts[name]:
                del facts[name]
        if self.first_kill and not self.first_kill.best_move:
            del facts["first_kill"]["best_move"]
        return facts
