"""Players on the wire (API.md, "Kept")."""

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
    """A player to be made."""

    nickname: Nickname
    registered: Annotated[
        TrueByDefault,
        Field(description="Whether the player is registered in the club, as of its today."),
    ] = True


class PlayerChangesIn(Changes):
    """What to change of a player; what is absent or null stays."""

    nickname: Annotated[Nickname | None, Field(description="The old nickname stays an alias.")] = None
    registered: Annotated[Flag | None, Field(description="From now on; what games were when played stays.")] = None


class Player(BaseModel):
    """A player of a club."""

    id: str
    nickname: str
    aliases: Annotated[list[str], Field(description="Nicknames of before; they still mean this player.")]
    registered: bool
    registered_on: Annotated[date | None, Field(description="The club's today of then; null when not registered.")]
    merged_into: Annotated[
        str | None, Field(description="The id of the player who this one is now; null unless the two were merged.")
    ]


class PlayerList(BaseModel):
    """Some of a club's players, the first come first."""

    items: list[Player]
    next_cursor: str | None


class PlayersQuery(PageQuery):
    """Which players."""

    nickname: Annotated[
        Nickname | None, Field(description="Only the player whom this nickname, perhaps an old one, means.")
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
