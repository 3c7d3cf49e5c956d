"""A season under other rules on the wire: a change and a table as they would be (docs/api.md#seasons)."""

from typing import Annotated, Any, Final, cast

from pydantic import BaseModel, ConfigDict, Field

from app.schemas.common.numbers import Exact, Whole
from app.schemas.games.breakdown import SystemReference
from app.schemas.games.games import Reason
from app.schemas.standings.season_standings import (
    KeptRow,
    KeptStandings,
    PlayerName,
    kept_standings_wire,
    name_wire,
)
from app.schemas.standings.standings import StandingsColumn, standings_wire
from app.scoring.terms import Format
from app.services.seasons.rule_change import MOST_NAMED, ComparedTable, Preview, StatusChange
from app.services.seasons.what_if import WhatIf
from app.services.standings.standings import TablePlayer
from app.services.standings.table_query import TableQuery
from app.web.language import Language
from app.web.render import exact

_NAMED: Final = f"The first {MOST_NAMED} are listed."


class ChangeQuery(BaseModel):
    """How a season is changed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dry_run: Annotated[bool, Field(description="Only report how the table and games would change.")] = False
    reason: Reason = None


class RefusedGame(BaseModel):
    """A stored game that the rules forbid."""

    id: str
    external_id: str | None
    codes: Annotated[list[str], Field(description="The codes of its violations.")]


class NeededApproval(BaseModel):
    """An approval that would be required."""

    clause: str
    seat: int
    by: Annotated[str, Field(description="Who may decide: `president` or `chief_judge`.")]
    points: Exact


class MovedGame(BaseModel):
    """A game whose status would change."""

    id: str
    external_id: str | None
    before: str
    after: str
    waits_for: list[NeededApproval]


class TableHead(BaseModel):
    """A table without its rows."""

    rule_system: SystemReference
    games: Annotated[Whole, Field(description="The number of counted games.")]
    order: str
    columns: list[StandingsColumn]


class PlaceAndValues(BaseModel):
    """A player's row in one table."""

    rank: int | None
    published: bool
    values: dict[str, Exact | None]


class PlayerChange(BaseModel):
    """A player's row in both tables; null where there is none."""

    player: PlayerName
    before: PlaceAndValues | None
    after: PlaceAndValues | None


class SeasonChangePreview(BaseModel):
    """The effect that changing a season would have on its table and games."""

    season: Annotated[str, Field(description="The slug of the season.")]
    format: Format
    revision: Annotated[int, Field(description="The revision that the preview is based on.")]
    possible: Annotated[bool, Field(description="False if the rules reject games; the change is then refused.")]
    before: TableHead
    after: Annotated[TableHead, Field(description="Without rejected games.")]
    players: Annotated[list[PlayerChange], Field(description="In the order of the new table.")]
    examined: Annotated[Whole, Field(description="How many games were checked: all except voided ones.")]
    moved: Annotated[list[MovedGame], Field(description=f"Games whose status would change. {_NAMED}")]
    moved_games: Annotated[Whole, Field(description="The total number.")]
    pending_games: Annotated[Whole, Field(description="How many of them would wait for an approval.")]
    refused: Annotated[list[RefusedGame], Field(description=f"Games that the rules reject. {_NAMED}")]
    refused_games: Annotated[Whole, Field(description="The total number.")]


class WhatIfRow(KeptRow):
    """One player's place and values under other rules."""

    rank_before: Annotated[
        int | None, Field(description="The place in the season's own table, in that system's default order.")
    ]


class AbsentPlayer(BaseModel):
    """A player in the season's own table who has no row here, because these rules reject all of the player's games."""

    player: PlayerName
    rank_before: int | None


class OtherRules(BaseModel):
    """What a table under other rules leaves out and assumes."""

    rule_system: Annotated[SystemReference, Field(description="The rule system that the season uses.")]
    games: Annotated[Whole, Field(description="The number of counted games in the season's own table.")]
    pending_games: Annotated[
        Whole, Field(description="How many of these games would need an approval, which is assumed to be given.")
    ]
    refused: Annotated[
        list[RefusedGame], Field(description=f"Games that these rules reject, which are left out. {_NAMED}")
    ]
    refused_games: Annotated[Whole, Field(description="The total number.")]
    absent: list[AbsentPlayer]


class WhatIfStandings(KeptStandings):
    """A season's table under other rules; `rule_system` names them."""

    rows: list[WhatIfRow]  # type: ignore[assignment]
    what_if: OtherRules


def preview_wire(made: Preview, language: Language) -> dict[str, Any]:
    """The preview as :class:`SeasonChangePreview` describes it."""
    before, then = _side_wire(made.before, language)
    after, rows = _side_wire(made.after, language)
    return {
        "season": made.season.slug,
        "format": made.season.format,
        "revision": made.season.revision,
        "possible": not made.refused_games,
        "before": before,
        "after": after,
        "players": [
            {"player": name_wire(who), "before": then.get(who), "after": rows.get(who)} for who in {**rows, **then}
        ],
        "examined": made.examined,
        "moved": [_moved_wire(game) for game in made.moved],
        "moved_games": made.moved_games,
        "pending_games": made.pending_games,
        "refused": [game._asdict() for game in made.refused],
        "refused_games": made.refused_games,
    }


def what_if_wire(made: WhatIf, asked: TableQuery, language: Language) -> dict[str, Any]:
    """The table as :class:`WhatIfStandings` describes it."""
    wire = kept_standings_wire(made.table, asked, language, made.previous)
    before = made.places
    for row in wire["rows"]:
        row["rank_before"] = before.get(row["player"]["id"])
    wire["what_if"] = {
        "rule_system": {"id": made.followed.id, "version": made.followed.version},
        "games": made.present.games,
        "pending_games": made.waiting_games,
        "refused": [game._asdict() for game in made.refused],
        "refused_games": made.refused_games,
        "absent": [{"player": name_wire(who), "rank_before": rank} for who, rank in made.absent(asked)],
    }
    return wire


def _side_wire(side: ComparedTable, language: Language) -> tuple[dict[str, Any], dict[TablePlayer, dict[str, Any]]]:
    """A table but for its rows, and its rows by player."""
    standings = side.standings
    whos = [cast(TablePlayer, row.player) for row in standings.rows]
    wire = standings_wire(side.system, standings, {who: who.public_id for who in whos}, language)
    heading = {name: wire[name] for name in ("rule_system", "games", "order", "columns")}
    rows = [{name: row[name] for name in ("rank", "published", "values")} for row in wire["rows"]]
    return heading, dict(zip(whos, rows, strict=True))


def _moved_wire(game: StatusChange) -> dict[str, Any]:
    return {
        "id": game.id,
        "external_id": game.external_id,
        "before": game.before,
        "after": game.after,
        "waits_for": [
            {"clause": one.clause, "seat": one.seat, "by": one.decider, "points": exact(one.points)}
            for one in game.waits_for
        ],
    }
