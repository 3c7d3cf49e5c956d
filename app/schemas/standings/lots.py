"""Lots of a kept season on the wire (API.md, "Kept")."""

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
    """A lot for exactly one group of tied players: drawn at the table, or to be drawn here."""

    group: Annotated[_Players, Field(description="The ids of all who share a place, in any order.")]
    drawn: Annotated[
        _Players | None, Field(description="The same ids as drawn at the table, the better place first.")
    ] = None
    draw: Annotated[
        Flag | None, Field(description="true: the order is drawn here, from a seed that anyone can repeat it from.")
    ] = None

    @model_validator(mode="after")
    def _drawn_are_the_group(self) -> Self:
        drawn = self.group if self.drawn is None else self.drawn
        if len(set(self.group)) != len(self.group) or sorted(self.group) != sorted(drawn):
            raise PydanticCustomError("lot", "expected different players, the same in group and drawn")
        return self


class LotPlayer(BaseModel):
    """A player as he is now."""

    id: str
    nickname: str


class DrawnLot(BaseModel):
    """A lot that was drawn, and whether it holds."""

    group: Annotated[list[str], Field(description="The ids of the tied players, in ascending order.")]
    drawn: Annotated[list[str], Field(description="The same ids in the order drawn, the better place first.")]
    seed: Annotated[str | None, Field(description="What the order was drawn from; null: it was drawn at the table.")]
    state: Annotated[
        Literal["in_force", "void"],
        Field(description="`void` while the group is not exactly a tie of the table."),
    ]
    players: Annotated[
        list[LotPlayer], Field(description="Who they are now, in the order drawn; of merged players the survivors.")
    ]
    revision: Annotated[int, Field(description="The season's revision that it was recorded in.")]
    at: datetime
    who: WrittenBy


class DrawnLotList(BaseModel):
    """Some of a season's lots, the first drawn first."""

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
