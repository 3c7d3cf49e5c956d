"""Lots of a kept season on the wire (docs/api.md#standings)."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from app.patterns import PLAIN_TEXT
from app.schemas.clubs.players import PlayerId
from app.schemas.common.fields import Body
from app.schemas.games.games import WrittenBy
from app.scoring.game import Flag
from app.services.clubs.keys import Key
from app.services.standings.lots import StoredLot, lot_id

_Players = Annotated[list[PlayerId], Field(min_length=2, max_length=1000)]


class DrawIn(Body):
    """A lot for exactly one group of tied players, drawn at the table or by the service."""

    group: Annotated[_Players, Field(description="The IDs of all players who share a place, in any order.")]
    drawn: Annotated[
        _Players | None, Field(description="The same IDs in the order drawn at the table, best place first.")
    ] = None
    draw: Annotated[
        Flag | None,
        Field(description="true: the service draws the order from a seed in the response, which anyone can verify."),
    ] = None

    @model_validator(mode="after")
    def _drawn_are_the_group(self) -> Self:
        drawn = self.group if self.drawn is None else self.drawn
        if len(set(self.group)) != len(self.group) or sorted(self.group) != sorted(drawn):
            raise PydanticCustomError("lot", "expected the same players, without duplicates, in group and drawn")
        return self


class WithdrawQuery(BaseModel):
    """Why a lot is withdrawn."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=500, pattern=PLAIN_TEXT),
        Field(description="The reason, stored with author and time."),
    ]


class LotPlayer(BaseModel):
    """The player's current data."""

    id: str
    nickname: str


class Withdrawal(BaseModel):
    """When, why and by whom a lot was withdrawn."""

    revision: Annotated[int, Field(description="The season's revision from which on the lot does not hold.")]
    at: datetime
    reason: Annotated[str | None, Field(description="Null unless the request has a key of the club.")]
    who: WrittenBy


class DrawnLot(BaseModel):
    """A recorded lot and whether it is in force."""

    id: Annotated[str, Field(description="Identifies the lot in its season.")]
    group: Annotated[list[str], Field(description="The IDs of the tied players, in ascending order.")]
    drawn: Annotated[list[str], Field(description="The same IDs in the order drawn, best place first.")]
    seed: Annotated[str | None, Field(description="The seed of the order; null if the lot was drawn at the table.")]
    state: Annotated[
        Literal["in_force", "void", "withdrawn"],
        Field(description="`void` while the group is not exactly a tie in the table; `withdrawn` for good."),
    ]
    players: Annotated[
        list[LotPlayer],
        Field(description="The current players in the order drawn; merged players are replaced by their survivors."),
    ]
    revision: Annotated[int, Field(description="The season's revision in which the lot was recorded.")]
    at: datetime
    who: WrittenBy
    withdrawal: Annotated[Withdrawal | None, Field(description="Null unless the lot was withdrawn.")]


class DrawnLotList(BaseModel):
    """Lots of a season, oldest first."""

    items: list[DrawnLot]
    next_cursor: str | None


def lot_wire(kept: StoredLot) -> dict[str, Any]:
    """The lot as :class:`DrawnLot` describes it."""
    lot = kept.lot
    return {
        "id": lot_id(lot),
        "group": lot.tied,
        "drawn": lot.drawn,
        "seed": lot.seed,
        "state": _state(kept),
        "players": [{"id": player.public_id, "nickname": player.nickname} for player in kept.players],
        "revision": lot.revision,
        "at": lot.at,
        "who": _who(lot.role, kept.key),
        "withdrawal": _withdrawal_wire(kept),
    }


def _state(kept: StoredLot) -> str:
    if kept.withdrawal is not None:
        return "withdrawn"
    return "in_force" if kept.in_force else "void"


def _withdrawal_wire(kept: StoredLot) -> dict[str, Any] | None:
    if (withdrawal := kept.withdrawal) is None:
        return None
    return {
        "revision": withdrawal.withdrawn_in,
        "at": withdrawal.withdrawn_at,
        "reason": withdrawal.reason if kept.in_full else None,
        "who": _who(withdrawal.withdrawn_role, kept.withdrawer),
    }


def _who(role: str, key: Key | None) -> dict[str, Any]:
    return {"role": role, "key": None if key is None else {"id": key.public_id, "name": key.name}}
