"""A kept season's standings and awards on the wire (docs/api.md#standings)."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.schemas.common.numbers import Exact, Whole
from app.schemas.games.breakdown import SystemReference
from app.schemas.standings.standings import Standings, StandingsRow, standings_wire
from app.scoring.game import Day
from app.scoring.rule_system import RuleSystem
from app.scoring.terms import Format, Stage
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services.seasons.seasons import RequestedRules, system_of
from app.services.standings.awards import AwardState
from app.services.standings.standings import Table, TablePlayer, visible_rows
from app.services.standings.table_query import TableQuery
from app.validation import InvalidInput
from app.web.language import Language

_MOST_REVISIONS: Final = 2**53 - 1

_OF_WHAT: Final = words("укажите, какого регламента эта версия", "`version` requires `rule_system`")


class RowQuery(BaseModel):
    """Which table of the season."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    order: Annotated[
        str | None,
        Field(
            max_length=64,
            description="The column to sort by; if missing, the system's default order. Another order of the system "
            "also decides the places.",
        ),
    ] = None
    include: Annotated[
        Literal["unpublished"] | None,
        Field(description="`unpublished`: also include players with too few games; requires a key of the club."),
    ] = None
    as_of: Annotated[Day | None, Field(description="Only games played up to this day, in their current state.")] = None
    revision: Annotated[
        int | None, Field(ge=0, le=_MOST_REVISIONS, description="The table as recorded at this revision.")
    ] = None

    def asked(self) -> TableQuery:
        """The same, as the service takes it."""
        return TableQuery(self.order, self.include is not None, self.as_of, self.revision)


class MovesQuery(RowQuery):
    """Which table of the season, and since when players moved in it."""

    moves_since: Annotated[
        Day | None,
        Field(description="`previous_rank` is the place as of this day; if missing, before the last day with a game."),
    ] = None

    def asked(self) -> TableQuery:
        """The same, as the service takes it."""
        return super().asked()._replace(moves_since=self.moves_since)


class StandingsQuery(MovesQuery):
    """Which table of the season, of which stage, under which rules."""

    stage: Annotated[
        Stage | None,
        Field(description="In a tournament: the table that the games of this stage alone make; no lots, no awards."),
    ] = None
    rule_system: Annotated[
        str | None,
        Field(max_length=128, description="What-if: score the same games by this built-in system."),
    ] = None
    version: Annotated[
        int | None, Field(ge=1, le=2**31 - 1, description="The version of `rule_system`; if missing, the newest.")
    ] = None

    def asked(self) -> TableQuery:
        """The same, as the service takes it."""
        return super().asked()._replace(stage=self.stage)

    def system(self) -> RuleSystem | None:
        """The system that is asked for instead of the season's own; None: no other.

        Raises:
            InvalidInput: there is no such system, or a version of none.
        """
        if self.rule_system is not None:
            return system_of(RequestedRules(self.rule_system, self.version), "?rule_system", "?version")
        if self.version is not None:
            raise InvalidInput([Violation("missing", "?rule_system", _OF_WHAT)])
        return None


class PlayerName(BaseModel):
    """A player of the club."""

    id: str
    nickname: Annotated[str, Field(description="The current nickname.")]


class KeptRow(StandingsRow):
    """One player's place and values."""

    player: PlayerName  # type: ignore[assignment]
    previous_rank: Annotated[
        int | None,
        Field(
            description="The place in the same table before the last day with a counted game, or as of `moves_since`; "
            "null if the player had none."
        ),
    ]


class KeptStandings(Standings):
    """A season's table, best first. `ties` and `awards` contain player IDs."""

    season: Annotated[str, Field(description="The slug of the season.")]
    revision: Annotated[Whole, Field(description="The revision of the table.")]
    rows: list[KeptRow]  # type: ignore[assignment]


class AwardCandidate(BaseModel):
    """A published player and the distance to the award."""

    player: PlayerName
    value: Exact
    distance: Annotated[Exact, Field(description="Points missing to the cut; 0 or less if the player has the award.")]
    awarded: bool


class AwardStanding(BaseModel):
    """The current state of an award."""

    clause: str
    code: str
    name: Annotated[str, Field(description="In the language of the response.")]
    by: Annotated[str, Field(description="The key of the column that decides the award.")]
    places: Annotated[int, Field(description="How many top values get the award, including all ties at the cut.")]
    cut: Annotated[Exact | None, Field(description="The lowest value that gets the award; null if nobody gets it.")]
    players: list[PlayerName]
    candidates: Annotated[list[AwardCandidate], Field(description="All published players, best first.")]


class SeasonAwards(BaseModel):
    """The awards of the regulation, and how far each player is from them."""

    season: str
    rule_system: SystemReference
    format: Format
    revision: Whole
    provisional: Annotated[bool, Field(description="True until the season is closed.")]
    awards: list[AwardStanding]


def kept_standings_wire(
    table: Table, asked: TableQuery, language: Language, previous: Mapping[int, int | None]
) -> dict[str, Any]:
    """The table as :class:`KeptStandings` describes it; ``previous``: former places by player."""
    rows = visible_rows(table, asked)
    standings = table.standings._replace(rows=tuple(row for _, row in rows))
    every = [row.player for row in table.standings.rows]
    ids = {who: who.public_id for who in every if isinstance(who, TablePlayer)}
    wire = standings_wire(table.system, standings, ids, language)
    wire |= {"season": table.state.season.slug, "revision": table.revision}
    for (who, _), row in zip(rows, wire["rows"], strict=True):
        row["player"] = name_wire(who)
        row["previous_rank"] = previous.get(who.id)
    return wire


def awards_wire(table: Table, states: Iterable[AwardState], language: Language) -> dict[str, Any]:
    """The awards as :class:`SeasonAwards` describes them."""
    return {
        **head_wire(table),
        "provisional": table.state.season.closed_at is None,
        "awards": [
            {
                "clause": state.clause,
                "code": state.code,
                "name": state.name.say(language),
                "by": state.by,
                "places": state.places,
                "cut": state.cut,
                "players": [name_wire(who) for who in state.players],
                "candidates": [
                    {
                        "player": name_wire(candidate.player),
                        "value": candidate.value,
                        "distance": candidate.distance,
                        "awarded": candidate.awarded,
                    }
                    for candidate in state.candidates
                ],
            }
            for state in states
        ],
    }


def head_wire(table: Table) -> dict[str, Any]:
    """Which table of which season it is."""
    return {
        "season": table.state.season.slug,
        "rule_system": {"id": table.system.id, "version": table.system.version},
        "format": table.standings.format,
        "revision": table.revision,
    }


def name_wire(who: TablePlayer) -> dict[str, str]:
    """The player as :class:`PlayerName` describes him."""
    return {"id": who.public_id, "nickname": who.nickname}
