"""Standings on the wire, without storage: what is asked and what is answered (docs/api.md#standings)."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, model_validator
from pydantic_core import PydanticCustomError

from app.schemas.common.numbers import Exact, Whole
from app.schemas.games.breakdown import SystemReference
from app.scoring import ranking
from app.scoring.game import Game
from app.scoring.nickname import Nickname, folded
from app.scoring.points import rounded
from app.scoring.rule_system import RuleSystem
from app.scoring.terms import Format
from app.web.language import Language

MOST_GAMES: Final = 10_000


class Lot(BaseModel):
    """A lot drawn at the table for exactly these tied players."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    group: Annotated[tuple[Nickname, ...], Field(min_length=2, max_length=1000)]
    drawn: Annotated[
        tuple[Nickname, ...],
        Field(min_length=2, max_length=1000, description="The same players in the order drawn, best place first."),
    ]

    @model_validator(mode="after")
    def _drawn_are_the_group(self) -> Self:
        group, drawn = ([folded(player) for player in players] for players in (self.group, self.drawn))
        if len(set(group)) != len(group) or sorted(group) != sorted(drawn):
            raise PydanticCustomError("lot", "expected the same players, without duplicates, in group and drawn")
        return self


_Unread: TypeAlias = Annotated[object, PlainValidator(lambda value: value, json_schema_input_type=Game)]
"""A game that is read when its turn comes (:func:`app.services.standings.stateless.read_games`)."""


class StandingsIn(BaseModel):
    """Games of one season or tournament, and how to rank them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Annotated[Format, Field(description="A system without tournament rules ranks a tournament like a season.")]
    games: Annotated[list[_Unread], Field(max_length=MOST_GAMES)]
    order: Annotated[
        str | None, Field(strict=True, max_length=64, description="The column to order by; null: the system's default.")
    ] = None
    lots: Annotated[tuple[Lot, ...] | None, Field(max_length=1000)] = None

    def drawn(self) -> list[ranking.Lot]:
        """The lots as the core takes them, with folded nicknames."""
        return [ranking.Lot(tuple(folded(player) for player in lot.drawn)) for lot in self.lots or ()]


class StandingsColumn(BaseModel):
    """One column of a table."""

    key: str
    label: Annotated[str, Field(description="In the language of the response.")]
    decimals: Whole
    unit: str | None
    clause: str


class StandingsPlayer(BaseModel):
    """A player in a table. In stateless standings, a nickname only."""

    nickname: str


class StandingsWarning(BaseModel):
    """A note about a row."""

    code: str
    message: Annotated[str, Field(description="In the language of the response.")]


class StandingsRow(BaseModel):
    """One player's place and values."""

    rank: Annotated[
        int | None, Field(description="Players with the same rank share a place; null if the player is not published.")
    ]
    player: StandingsPlayer
    published: bool
    warnings: list[StandingsWarning]
    values: Annotated[
        dict[str, Exact | None], Field(description="By column key, rounded half away from zero; null if undefined.")
    ]


class StandingsTie(BaseModel):
    """Players who can only be separated by lot."""

    rank: int
    players: list[str]
    lot: Annotated[str | None, Field(description="`needed` or `drawn`; null if the system draws no lots.")]


class StandingsAward(BaseModel):
    """Who gets an award, including ties at the cut."""

    clause: str
    code: str
    players: list[str]


class Standings(BaseModel):
    """A table of players, best first. Unpublished players come last."""

    season: str | None
    rule_system: SystemReference
    format: Format
    revision: int | None
    games: Annotated[Whole, Field(description="The number of counted games.")]
    order: Annotated[str, Field(description="The column that decides the places.")]
    sorted_by: Annotated[str, Field(description="The column that the rows are sorted by, highest value first.")]
    columns: list[StandingsColumn]
    rows: list[StandingsRow]
    ties: list[StandingsTie]
    awards: list[StandingsAward]


def standings_wire(
    system: RuleSystem, standings: ranking.Standings, nicknames: Mapping[Any, str], language: Language
) -> dict[str, Any]:
    """The table as :class:`Standings` describes it; ``nicknames``: how each player is written."""
    decimals = {column.key: column.decimals for column in standings.columns}
    return {
        "season": None,
        "rule_system": {"id": system.id, "version": system.version},
        "format": standings.format,
        "revision": None,
        "games": standings.games,
        "order": standings.order,
        "sorted_by": standings.sorted_by,
        "columns": [
            {
                "key": column.key,
                "label": column.label.say(language),
                "decimals": column.decimals,
                "unit": column.unit,
                "clause": column.clause,
            }
            for column in standings.columns
        ],
        "rows": [
            {
                "rank": row.rank,
                "player": {"nickname": nicknames[row.player]},
                "published": row.published,
                "warnings": [
                    {"code": warning.code, "message": warning.text.say(language, *warning.args)}
                    for warning in row.warnings
                ],
                "values": {
                    key: None if value is None else rounded(value, decimals[key]) for key, value in row.values.items()
                },
            }
            for row in standings.rows
        ],
        "ties": [
            {"rank": tie.rank, "players": [nicknames[player] for player in tie.players], "lot": tie.lot}
            for tie in standings.ties
        ],
        "awards": [
            {"clause": award.clause, "code": award.code, "players": [nicknames[player] for player in award.players]}
            for award in standings.awards
        ],
    }
