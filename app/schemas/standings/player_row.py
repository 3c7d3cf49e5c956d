"""A player's row on the wire: line by line, and each column explained (docs/api.md#standings)."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field

from app.schemas.common.numbers import Exact, Whole
from app.schemas.games.breakdown import Line, SystemReference
from app.schemas.standings.season_standings import KeptRow, head_wire, name_wire
from app.schemas.standings.standings import StandingsColumn, standings_wire
from app.scoring import explanation
from app.scoring.points import in_points, rounded
from app.scoring.ranking import Value
from app.scoring.rule_system import RuleSystem
from app.scoring.terms import Format
from app.services.standings.standings import PlayedGame, PlayerRow, Table
from app.web.language import Language
from app.web.render import exact

_DECIMALS: Final = 12
"""What a season gives may be a third; at so many decimals the lines still add up to the row as it is written."""


class PlayedLines(BaseModel):
    """The points that one game gave the player, line by line."""

    game: Annotated[str, Field(description="The ID of the game.")]
    external_id: str | None
    played_on: date
    table: int | None
    number: int | None
    judge: str | None
    stage: str | None
    outcome: str
    seat: int
    role: str
    team: str
    result: Annotated[str, Field(description="`won`, `lost` or `draw`.")]
    first_kill: bool
    best_move_hits: Annotated[
        int | None, Field(description="How many blacks the player's best move named; null if there was none.")
    ]
    total: Exact
    lines: list[Line]


class PlayerSums(BaseModel):
    """The sum of lines by category, from games and season. `main` and `extra` make up the points."""

    main: Exact
    extra: Exact
    rating: Annotated[Exact, Field(description="What the season adds to the rating only.")]


class FormulaTerm(BaseModel):
    """A name in a formula and its value for this player."""

    name: Annotated[
        str, Field(description="A sum over the player's games (`wins`, `points`, `n_best_move`), or an earlier column.")
    ]
    value: Annotated[Exact | None, Field(description="At most 12 decimals.")]


class ExplainedColumn(BaseModel):
    """How a column got its value."""

    key: str
    clause: str
    formula: str
    terms: Annotated[list[FormulaTerm], Field(description="The names in the formula, in order.")]
    numbers: Annotated[
        str,
        Field(
            description="The formula with this player's numbers, exact; an earlier column as its own formula in "
            "parentheses."
        ),
    ]
    value: Annotated[Exact | None, Field(description="At most 12 decimals.")]


class ClausePoints(BaseModel):
    """What a clause gave the player in all games, and in the season."""

    clause: str
    category: Annotated[str, Field(description="`main`, `extra` or `rating`.")]
    lines: Annotated[int, Field(description="How many lines of games and season.")]
    points: Annotated[Exact, Field(description="At most 12 decimals.")]


class ExplainedRow(BaseModel):
    """Why the row is what it is."""

    columns: list[ExplainedColumn]
    points: Annotated[
        list[ClausePoints], Field(description="By clause, in the order of the regulation; they add up to `sums`.")
    ]


class PlayerStanding(BaseModel):
    """A player's row with all lines behind it."""

    season: str
    rule_system: SystemReference
    format: Format
    revision: Whole
    order: str
    columns: list[StandingsColumn]
    row: KeptRow
    games: Annotated[list[PlayedLines], Field(description="In the order played.")]
    season_lines: Annotated[
        list[Line], Field(description="Points that come from the season and not from a game, with at most 12 decimals.")
    ]
    sums: PlayerSums
    explained: ExplainedRow


def player_wire(table: Table, made: PlayerRow, language: Language, previous: int | None) -> dict[str, Any]:
    """The row as :class:`PlayerStanding` describes it; ``previous``: the former place."""
    standings = table.standings._replace(rows=(made.row,), ties=(), awards=())
    wire = standings_wire(table.system, standings, {made.who: ""}, language)
    (row,) = wire["rows"]
    points = _points_by_clause(made)
    sums = dict.fromkeys(("main", "extra", "rating"), Fraction(0))
    for (_, category), given in points.items():
        sums[category] += sum(given)
    return {
        **head_wire(table),
        "order": standings.order,
        "columns": wire["columns"],
        "row": row | {"player": name_wire(made.who), "previous_rank": previous},
        "games": [_game_wire(game, language) for game in made.games],
        "season_lines": [
            {
                "clause": clause,
                "code": line.code,
                "category": line.category,
                "points": rounded(line.points, _DECIMALS),
                "reason": line.reason.say(language, *line.args),
            }
            for clause, line in made.row.season_lines
        ],
        "sums": {category: _shown(total) for category, total in sums.items()},
        "explained": {
            "columns": [_column_wire(column) for column in made.columns],
            "points": _points_wire(table.system, points),
        },
    }


def _points_by_clause(made: PlayerRow) -> Mapping[tuple[str, str], list[Fraction]]:
    """The points of every line behind the row, by clause and category."""
    points: dict[tuple[str, str], list[Fraction]] = defaultdict(list)
    for game in made.games:
        for line, _, _ in game.lines:
            points[line.clause, line.category].append(in_points(line.points))
    for clause, of_season in made.row.season_lines:
        points[clause, of_season.category].append(of_season.points)
    return points


def _points_wire(system: RuleSystem, points: Mapping[tuple[str, str], list[Fraction]]) -> list[dict[str, Any]]:
    order = {clause.number: position for position, clause in enumerate(system.clauses)}
    return [
        {"clause": clause, "category": category, "lines": len(given), "points": _shown(sum(given, Fraction(0)))}
        for (clause, category), given in sorted(points.items(), key=lambda pair: order.get(pair[0][0], len(order)))
    ]


def _column_wire(column: explanation.ExplainedColumn) -> dict[str, Any]:
    return {
        "key": column.key,
        "clause": column.clause,
        "formula": column.formula,
        "terms": [{"name": term.name, "value": _shown(term.value)} for term in column.terms],
        "numbers": column.numbers,
        "value": _shown(column.value),
    }


def _shown(value: Value) -> Decimal | None:
    return None if value is None else rounded(value, _DECIMALS)


def _game_wire(game: PlayedGame, language: Language) -> dict[str, Any]:
    entry, seat = game.entry, game.entry.seat
    return {
        "game": game.game,
        "external_id": game.facts.external_id,
        "played_on": entry.played_on,
        "table": game.facts.table,
        "number": game.facts.number,
        "judge": game.facts.judge,
        "stage": seat.stage,
        "outcome": seat.outcome,
        "seat": entry.number,
        "role": seat.role,
        "team": seat.team,
        "result": seat.result,
        "first_kill": seat.first_kill,
        "best_move_hits": game.best_move_hits,
        "total": exact(entry.points),
        "lines": [
            {
                "clause": line.clause,
                "code": line.code,
                "category": line.category,
                "points": exact(line.points),
                "reason": "" if reason is None else reason.say(language, *args),
            }
            for line, reason, args in game.lines
        ],
    }
