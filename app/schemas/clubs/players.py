"""Players on the wire (docs/api.md#clubs-keys-and-players)."""

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from app.schemas.common.fields import Body, Changes, PageQuery
from app.scoring.game import Day, Flag, TrueByDefault
from app.scoring.nickname import Nickname
from app.services.clubs.players import PlayerWithAliases
from app.services.games.recount import Recounted

PlayerId = Annotated[str, StringConstraints(strict=True, max_length=64)]
"""The id of a player, as a body names one."""


class PlayerIn(Body):
    """A new player."""

    nickname: Nickname
    registered: Annotated[
        TrueByDefault,
        Field(description="Whether the player is registered in the club, as of the club's today."),
    ] = True
    registered_on: Annotated[
        Day | None,
        Field(
            description="The day of registration, up to the club's today; it implies `registered: true`. Null: not "
            "registered. A day before today requires the key of a chief judge or the president."
        ),
    ] = None


class PlayerChangesIn(Changes):
    """Changes to a player. Fields that are missing or null stay unchanged, except that null in ``registered_on`` ends
    the registration.
    """

    clearable: ClassVar[frozenset[str]] = frozenset({"registered_on"})

    nickname: Annotated[Nickname | None, Field(description="The previous nickname becomes an alias.")] = None
    registered: Annotated[Flag | None, Field(description="Applies from now on. Stored games do not change.")] = None
    registered_on: Annotated[
        Day | None,
        Field(
            description="The day of registration, up to the club's today; it implies `registered: true`. The player's "
            "seats from that day on are rated in open seasons, unless the judge wrote `registered: false`. Null: not "
            "registered."
        ),
    ] = None


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


class DryRunQuery(BaseModel):
    """Whether only to say what would happen."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dry_run: Annotated[
        bool, Field(description="Report the games in which a seat would be rated, and change nothing.")
    ] = False


class RecountedSeason(BaseModel):
    """An open season with games in which a seat of the player would be rated."""

    season: str
    games: int


class RegistrationPreview(BaseModel):
    """What a day of registration would change."""

    seasons: list[RecountedSeason]


class PlayerList(BaseModel):
    """Players of a club, oldest first."""

    items: list[Player]
    next_cursor: str | None


class PlayersQuery(PageQuery):
    """Which players."""

    nickname: Annotated[
        Nickname | None, Field(description="Only the player with this nickname, current or former.")
    ] = None
    search: Annotated[
        str | None,
        StringConstraints(strict=True, max_length=64),
        Field(
            description="The first `limit` players with this text in a nickname, current or former: first those with a "
            "nickname that begins with it, then those who played last. Upper and lower case, accents and letters that "
            "look alike are equal. If blank, those who played last."
        ),
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


def preview_wire(found: Iterable[Recounted]) -> dict[str, Any]:
    """The seasons as :class:`RegistrationPreview` describes them."""
    return {"seasons": [{"season": one.season, "games": one.games} for one in found]}
