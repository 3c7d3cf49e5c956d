"""Archives of seasons on the wire."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from app.schemas.common.fields import Slug
from app.schemas.seasons.seasons import Season, season_wire
from app.services.archive import AdoptedSeason


class ArchiveQuery(BaseModel):
    """How an archive is taken in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slug: Annotated[Slug | None, Field(description="The slug in this club; by default the original slug.")] = None
    dry_run: Annotated[bool, Field(description="Report what would happen and store nothing.")] = False


class ImportedSeason(BaseModel):
    """A season imported from an archive."""

    season: Season
    games: int
    players_created: Annotated[
        int, Field(description="How many players were created. The others were matched by ID or nickname.")
    ]
    applied: Annotated[bool, Field(description="Whether the season was stored.")]


def adopted_wire(adopted: AdoptedSeason, *, applied: bool) -> dict[str, Any]:
    """What became of an archive as :class:`ImportedSeason` describes it."""
    return {
        "season": season_wire(adopted.season),
        "games": adopted.games,
        "players_created": adopted.players_made,
        "applied": applied,
    }
