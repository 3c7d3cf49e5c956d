"""Merging players, and who may be the same person, on the wire (docs/api.md#clubs-keys-and-players)."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from app.schemas.clubs.players import Player, PlayerId, player_wire
from app.schemas.common.fields import Body
from app.services.clubs.likely_duplicates import Likeness
from app.web.language import Language


class MergeIn(Body):
    """The player to merge into."""

    into: Annotated[PlayerId, Field(description="The ID of the surviving player.")]


class Reason(BaseModel):
    """Why two players may be the same person."""

    code: Annotated[str, Field(description="`invisible`, `look_alike` or `close_spelling`.")]
    nicknames: Annotated[
        list[str], Field(description="One nickname of each player, current or former, that are similar.")
    ]
    message: str


class Duplicate(BaseModel):
    """Two players of a club who may be the same person."""

    reason: Reason
    players: Annotated[list[Player], Field(description="Both players; the one created first comes first.")]


class DuplicateList(BaseModel):
    """Pairs of players who may be the same person, most likely first."""

    items: list[Duplicate]
    next_cursor: str | None


def duplicate_wire(likeness: Likeness, language: Language) -> dict[str, Any]:
    """The pair as :class:`Duplicate` describes it."""
    return {
        "reason": {
            "code": likeness.reason.code,
            "nicknames": list(likeness.nicknames),
            "message": likeness.reason.text.say(language, *likeness.nicknames),
        },
        "players": [player_wire(known) for known in likeness.players],
    }
