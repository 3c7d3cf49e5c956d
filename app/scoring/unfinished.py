"""A game that is still being written down: what is not said yet, and what can be judged all the same."""

from collections.abc import Iterable
from typing import Any, Final, Generic, NamedTuple, TypeVar

from app.scoring.breakdown import Breakdown
from app.scoring.game import UNFINISHED, Game
from app.scoring.rules.kind import Fact, Remaining
from app.scoring.violation import RuleViolations, Violation

AnyGame = TypeVar("AnyGame", bound=Game)

_FIELDS: Final = ("outcome", "stage", "seats")
_NAMED_BY: Final = ("player", "player_id")


class Unfinished(NamedTuple, Generic[AnyGame]):
    """A game in which what is not said has a placeholder, and where that is."""

    game: AnyGame
    unsaid: tuple[str, ...]
    """JSON pointers."""

    def lacks(self, pointer: str) -> bool:
        """Whether nothing is said at a pointer."""
        return pointer in self.unsaid


class Waiting(NamedTuple):
    """A rule that cannot judge yet, with the number of its clause and the facts that it waits for."""

    clause: str
    kind: str
    needs: tuple[Fact, ...]


class Judged(NamedTuple):
    """What a system says of a game that may be unfinished."""

    breakdown: Breakdown
    """What the rules give that can judge already."""
    violations: list[Violation]
    incomplete: tuple[str, ...]
    """JSON pointers to what is not said yet, without repetition."""
    later: tuple[Waiting, ...]
    remaining: tuple[tuple[str, Remaining], ...]
    """What the judge may still give, by the number of the clause."""


class UnfinishedViolations(RuleViolations):
    """What is said of an unfinished game already breaks its regulation."""

    def __init__(self, judged: Judged) -> None:
        super().__init__(judged.violations)
        self.judged = judged


def read_unfinished(value: object, model: type[AnyGame]) -> Unfinished[AnyGame]:
    """The game that parsed JSON describes, whatever it leaves out.

    Raises:
        pydantic.ValidationError: what it says has another shape.
    """
    unsaid: list[str] = []
    if isinstance(value, dict):
        if value.get("outcome") is None and value.get("cancelled") is not True:
            unsaid.append("/outcome")
        if value.get("seats") is None:
            value = {**value, "seats": []}
        if isinstance(value["seats"], list):
            value = {**value, "seats": list(_seats(value["seats"], unsaid))}
    return Unfinished(model.model_validate(value, context=UNFINISHED), tuple(unsaid))


def in_order(pointers: Iterable[str]) -> tuple[str, ...]:
    """Pointers without repetition, the outcome first and then as a form is filled in."""
    return tuple(sorted(dict.fromkeys(pointers), key=_position))


def _position(pointer: str) -> tuple[int, int]:
    field, at = (*pointer.split("/")[1:3], "")[:2]
    order = _FIELDS.index(field) if field in _FIELDS else len(_FIELDS)
    return order, int(at) if field == "seats" and at else -1


def _seats(seats: list[Any], unsaid: list[str]) -> Iterable[Any]:
    """The seats with a placeholder for whatever they lack: a number that is free, a name that nobody has, no role."""
    taken = {seat.get("seat") for seat in seats if isinstance(seat, dict) and type(seat.get("seat")) is int}
    numbers = (number for number in range(1, len(seats) + len(taken) + 1) if number not in taken)
    for i, seat in enumerate(seats):
        if not isinstance(seat, dict):
            yield seat
            continue
        said = {name: None if _is_blank(written) else written for name, written in seat.items()}
        if said.get("seat") is None:
            unsaid.append(f"/seats/{i}/seat")
            seat = {**seat, "seat": next(numbers)}
        if all(said.get(name) is None for name in _NAMED_BY):
            unsaid.append(f"/seats/{i}/player")
            seat = {**seat, "player": f"?{i + 1}"}
        if said.get("role") is None:
            unsaid.append(f"/seats/{i}/role")
            seat = {**seat, "role": ""}
        yield seat


def _is_blank(written: object) -> bool:
    return isinstance(written, str) and not written.strip(" ")
