"""A player's way through a season on the wire (docs/api.md#standings)."""

from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, Field

from app.schemas.common.numbers import Exact
from app.schemas.games.breakdown import SystemReference
from app.schemas.standings.season_standings import PlayerName, head_wire, name_wire
from app.schemas.standings.standings import StandingsColumn, standings_wire
from app.scoring.terms import Format
from app.services.standings.progress import Progress
from app.services.standings.standings import Table
from app.web.language import Language


class ProgressDay(BaseModel):
    """A player's row after a day on which somebody played."""

    day: date
    games: Annotated[int, Field(description="How many games the player played that day.")]
    rank: Annotated[int | None, Field(description="Null if the row was not published yet.")]
    values: Annotated[dict[str, Exact | None], Field(description="By column key, as in the table.")]


class PlayerProgress(BaseModel):
    """A player's place and values after each day, from the first day in the table on."""

    season: str
    rule_system: SystemReference
    format: Format
    revision: int
    order: str
    columns: list[StandingsColumn]
    player: PlayerName
    days: list[ProgressDay]


def progress_wire(table: Table, progress: Progress, language: Language) -> dict[str, Any]:
    """The progress as :class:`PlayerProgress` describes it."""
    rows = tuple(reached.row._replace(player=progress.who) for reached in progress.days)
    standings = table.standings._replace(rows=rows, ties=(), awards=())
    wire = standings_wire(table.system, standings, {progress.who: ""}, language)
    return {
        **head_wire(table),
        "order": standings.order,
        "columns": wire["columns"],
        "player": name_wire(progress.who),
        "days": [
            {"day": reached.day, "games": reached.games, "rank": row["rank"], "values": row["values"]}
            for reached, row in zip(progress.days, wire["rows"], strict=True)
        ],
    }
