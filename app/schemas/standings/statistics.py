"""Statistics of a player and of a season on the wire (docs/api.md#statistics)."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.schemas.common.numbers import Exact
from app.schemas.standings.season_standings import PlayerName, name_wire
from app.services.standings.game_statistics import PlayerStatistics, Score, SeasonStatistics, Together
from app.services.standings.standings import Table, TablePlayer
from app.services.standings.table_query import TableQuery
from app.web.render import exact


class StatisticsQuery(BaseModel):
    """Whose statistics are shown."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    include: Annotated[
        Literal["unpublished"] | None,
        Field(description="`unpublished`: also of players with too few games; requires a key of the club."),
    ] = None

    def asked(self) -> TableQuery:
        """The same, as the service takes it."""
        return TableQuery(unpublished=self.include is not None)


class Results(BaseModel):
    """How games ended for the player, and the points that they gave."""

    games: int
    wins: int
    losses: int
    draws: int
    points: Exact


class ResultsBy(Results):
    """The same, of games in one role, team or seat, by one judge, or with one result."""

    role: str | None = None
    team: str | None = None
    seat: int | None = None
    judge: str | None = None
    result: str | None = None


class BestMoves(BaseModel):
    """Best moves by the number of blacks that they named."""

    hits: int
    games: int


class ByTeam(BaseModel):
    """Acts at night by the team of the target."""

    team: str
    count: int


class LongestRun(BaseModel):
    """The longest run of games with one result, and its first and last day."""

    result: Annotated[str, Field(description="`won` or `lost`.")]
    games: int
    since: date
    until: date


class Met(BaseModel):
    """Games with or against a player, from three on."""

    player: PlayerName
    games: int
    wins: int


class PlayerSeasonStatistics(BaseModel):
    """What a player's counted games come to."""

    season: str
    revision: int
    player: PlayerName
    total: Results
    by_role: list[ResultsBy]
    by_team: list[ResultsBy]
    by_seat: list[ResultsBy]
    by_judge: Annotated[list[ResultsBy], Field(description="`judge` is null for games without one.")]
    by_result: list[ResultsBy]
    first_kills: Annotated[Results, Field(description="Games in which the player was killed first.")]
    best_moves: list[BestMoves]
    checks: Annotated[list[ByTeam], Field(description="Night checks, in city games.")]
    shots: Annotated[list[ByTeam], Field(description="Night shots, in city games.")]
    longest_runs: list[LongestRun]
    played_with: Annotated[list[Met], Field(alias="with", description="In one team; most games first.")]
    against: list[Met]


class OutcomeCount(BaseModel):
    """How many games ended so."""

    outcome: str
    games: int


class RoleKilled(BaseModel):
    """How often a role was killed first."""

    role: str
    games: int


class JudgeOutcomes(BaseModel):
    """Outcomes of the games of one judge."""

    judge: str | None
    games: int
    outcomes: list[OutcomeCount]


class DayOutcomes(BaseModel):
    """Outcomes of the games of one day."""

    day: date
    games: int
    outcomes: list[OutcomeCount]


class SeasonFigures(BaseModel):
    """What the counted games of a season come to."""

    season: str
    revision: int
    games: int
    outcomes: list[OutcomeCount]
    first_kills: list[RoleKilled]
    best_moves: list[BestMoves]
    by_judge: list[JudgeOutcomes]
    by_day: list[DayOutcomes]


def player_statistics_wire(
    table: Table, who: TablePlayer, found: PlayerStatistics, known: Mapping[int, TablePlayer]
) -> dict[str, Any]:
    """The statistics as :class:`PlayerSeasonStatistics` describes them."""
    return {
        "season": table.state.season.slug,
        "revision": table.revision,
        "player": name_wire(who),
        "total": _score(found.total),
        "by_role": _by("role", found.by_role),
        "by_team": _by("team", found.by_team),
        "by_seat": _by("seat", found.by_seat),
        "by_judge": _by("judge", found.by_judge),
        "by_result": _by("result", found.by_result),
        "first_kills": _score(found.first_kills),
        "best_moves": _counts("hits", "games", found.best_moves),
        "checks": _counts("team", "count", found.checks),
        "shots": _counts("team", "count", found.shots),
        "longest_runs": [{"result": result, **run._asdict()} for result, run in found.runs.items()],
        "with": [_met(one, known) for one in found.together],
        "against": [_met(one, known) for one in found.against],
    }


def season_statistics_wire(table: Table, found: SeasonStatistics) -> dict[str, Any]:
    """The statistics as :class:`SeasonFigures` describes them."""
    return {
        "season": table.state.season.slug,
        "revision": table.revision,
        "games": found.games,
        "outcomes": _counts("outcome", "games", found.outcomes),
        "first_kills": _counts("role", "games", found.first_kills),
        "best_moves": _counts("hits", "games", found.best_moves),
        "by_judge": _outcomes("judge", found.by_judge),
        "by_day": _outcomes("day", found.by_day),
    }


def _score(score: Score) -> dict[str, Any]:
    return {**score._asdict(), "points": exact(score.points)}


def _by(name: str, scores: Mapping[Any, Score]) -> list[dict[str, Any]]:
    return [{name: key, **_score(scores[key])} for key in _in_order(scores)]


def _counts(name: str, of: str, counted: Mapping[Any, int]) -> list[dict[str, Any]]:
    return [{name: key, of: counted[key]} for key in _in_order(counted)]


def _outcomes(name: str, counted: Mapping[Any, Mapping[str, int]]) -> list[dict[str, Any]]:
    return [
        {name: key, "games": sum(counted[key].values()), "outcomes": _counts("outcome", "games", counted[key])}
        for key in _in_order(counted)
    ]


def _in_order(keys: Mapping[Any, object]) -> list[Any]:
    """In ascending order, what has no name last."""
    return sorted(keys, key=lambda key: (key is None, 0 if key is None else key))


def _met(one: Together, known: Mapping[int, TablePlayer]) -> dict[str, Any]:
    return {"player": name_wire(known[one.player]), "games": one.games, "wins": one.wins}
