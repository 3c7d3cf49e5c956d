"""Players on the wire (docs/api.md#clubs-keys-and-players)."""

from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints

from app.schemas.common.fields import Body, Changes, PageQuery
from app.scoring.game import Flag, TrueByDefault
from app.scoring.nickname import Nickname
from app.services.clubs.players import PlayerWithAliases

PlayerId = Annotated[str, StringConstraints(strict=True, max_length=64)]
"""The id of a player, as a body names one."""


class PlayerIn(Body):
    """A new player."""

    nickname: Nickname
    registered: Annotated[
        TrueByDefault,
        Field(description="Whether the player is registered in the club, as of today in the club's time zone."),
    ] = True


class PlayerChangesIn(Changes):
    """Changes to a player. Fields that are missing or null stay unchanged."""

    nickname: Annotated[Nickname | None, Field(description="The previous nickname becomes an alias.")] = None
    registered: Annotated[Flag | None, Field(description="Applies from now on. Stored games do not change.")] = None


class Player(BaseModel):
    """A player of a club."""

    id: str
    nickname: str
    aliases: Annotated[list[str], Field(description="Former nicknames, which still identify this player.")]
    registered: bool
    registered_on: Annotated[
        date | None, Field(description="The date in the club's time zone; null if not registered.")
    ]
    merged_into: Annotated[
        str | None, Field(description="The ID of the surviving player; null unless the player was merged.")
    ]


class PlayerList(BaseModel):
    """Players of a club, oldest first."""

    items: list[Player]
    next_cursor: str | None


class PlayersQuery(PageQuery):
    """Which players."""

    nickname: Annotated[
        Nickname | None, Field(description="Only the player with this nickname, current or former.")
    ] = None


def player_wire(known: PlayerWithAliases) -> dict[str, Any]:
    """The player as :class:`Player` describes him."""
    player = known.player
    return {
        "id": player.public_id,
        "nickname": player.nickname,
        "aliases": known.aliases,
        "registered": player.registered,
        "registered_on": player.registered_on,
        "merged_into": known.merged_into,
    }
