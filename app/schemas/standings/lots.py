"""Lots of a kept season on the wire (docs/api.md#standings)."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, model_validator
from pydantic_core import PydanticCustomError

from app.schemas.clubs.players import PlayerId
from app.schemas.common.fields import Body
from app.schemas.games.games import WrittenBy
from app.scoring.game import Flag
from app.services.standings.lots import StoredLot

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


class LotPlayer(BaseModel):
    """The player's current data."""

    id: str
    nickname: str


class DrawnLot(BaseModel):
    """A recorded lot and whether it is in force."""

    group: Annotated[list[str], Field(description="The IDs of the tied players, in ascending order.")]
    drawn: Annotated[list[str], Field(description="The same IDs in the order drawn, best place first.")]
    seed: Annotated[str | None, Field(description="The seed of the order; null if the lot was drawn at the table.")]
    state: Annotated[
        Literal["in_force", "void"],
        Field(description="`void` while the group is not exactly a tie in the table."),
    ]
    players: Annotated[
        list[LotPlayer],
        Field(description="The current players in the order drawn; merged players are replaced by their survivors."),
    ]
    revision: Annotated[int, Field(description="The season's revision in which the lot was recorded.")]
    at: datetime
    who: WrittenBy


class DrawnLotList(BaseModel):
    """Lots of a season, oldest first."""

    items: list[DrawnLot]
    next_cursor: str | None


def lot_wire(kept: StoredLot) -> dict[str, Any]:
    """The lot as :class:`DrawnLot` describes it."""
    lot = kept.lot
    return {
        "group": lot.tied,
        "drawn": lot.drawn,
        "seed": lot.seed,
        "state": "in_force" if kept.in_force else "void",
        "players": [{"id": player.public_id, "nickname": player.nickname} for player in kept.players],
        "revision": lot.revision,
        "at": lot.at,
        "who": {
            "role": lot.role,
            "key": None if kept.key is None else {"id": kept.key.public_id, "name": kept.key.name},
        },
    }
