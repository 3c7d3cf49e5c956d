"""Archives of seasons on the wire."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from app.schemas.common.fields import Slug
from app.schemas.seasons.seasons import Season, season_wire
from app.services.archive import AdoptedSeason


class ArchiveQuery(BaseModel):
    """How an archive is taken in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slug: Annotated[Slug | None, Field(description="Its address here; by default the one that it had.")] = None
    dry_run: Annotated[bool, Field(description="Answer what would be, and keep nothing.")] = False


class ImportedSeason(BaseModel):
    """A season that came in an archive."""

    season: Season
    games: int
    players_created: Annotated[int, Field(description="The others were known by their ids or nicknames.")]
    applied: Annotated[bool, Field(description="Whether it was kept.")]


def adopted_wire(adopted: AdoptedSeason, *, applied: bool) -> dict[str, Any]:
    """What became of an archive as :class:`ImportedSeason` describes it."""
    return {
        "season": season_wire(adopted.season),
        "games": adopted.games,
        "players_created": adopted.players_made,
        "applied": applied,
    }
