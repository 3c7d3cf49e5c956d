"""Importing games on the wire (docs/api.md#import)."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from app.schemas.common.problem import Violation, violation_wire
from app.schemas.games.breakdown import GameWarning, warning_wire
from app.schemas.games.games import AllowDuplicate, CreatePlayers, RegisterPlayers
from app.services.files.import_step import ImportResult, Result
from app.services.files.new_players import MOST_NAMED, NewPlayers
from app.services.games.registration import NOT_REGISTERED
from app.web.language import Language

_MOST_VIOLATIONS: Final = 100
"""Of a game; more are not listed."""


class ImportQuery(BaseModel):
    """How a file is imported."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: Annotated[
        Literal["partial", "atomic"],
        Field(
            description="`partial`: accepted games are stored. `atomic`: all games are stored, or none if one is "
            "rejected."
        ),
    ] = "partial"
    dry_run: Annotated[bool, Field(description="Report what would happen and store nothing.")] = False
    create_players: CreatePlayers = False
    registered: RegisterPlayers = False
    on_conflict: Annotated[
        Literal["correct"] | None,
        Field(
            description="`correct`: a game with a known `external_id` and other facts becomes the next version of the "
            "stored game, and so does a game without one that is likely exactly one stored game."
        ),
    ] = None
    allow_duplicate: AllowDuplicate = False


class ImportedGame(BaseModel):
    """A line of the response: the result for one game of the file."""

    line: Annotated[
        int, Field(description="The line in the file; in a sheet, the row of the game's first seat (header = 1).")
    ]
    external_id: Annotated[
        str | None, Field(description="From the file, or derived from the game's facts; null if it could not be read.")
    ]
    result: Result
    id: Annotated[str | None, Field(description="The ID of the stored game; null if none is stored.")]
    code: Annotated[
        str, Field(default="", description="Of a conflict only: `external_id_conflict`, `possible_duplicate` …")
    ]
    others: Annotated[int, Field(default=0, description="Of a conflict only: how many more stored games it likely is.")]
    violations: Annotated[
        list[Violation],
        Field(description=f"At most {_MOST_VIOLATIONS}. A pointer leads into the line, or to a cell: `/rows/17/role`."),
    ]
    warnings: Annotated[list[GameWarning], Field(description="Of a game that is created, pending or corrected.")]


class NotRegistered(BaseModel):
    """Games with seats that are not rated because their players were not registered in the club on the day."""

    games: Annotated[int, Field(description="Of this file, among those that are created, pending or corrected.")]
    players: Annotated[list[str], Field(description="Nicknames.")]


class NewPlayer(BaseModel):
    """A player that the import creates."""

    nickname: str
    like: Annotated[list[str], Field(description="Players of the club who may be meant, the likeliest first.")]


class ImportCounts(BaseModel):
    """Number of games by result, and the new players."""

    created: int
    unchanged: int
    corrected: int
    pending: int
    conflict: int
    invalid: int
    applied: Annotated[bool, Field(description="Whether accepted games were stored.")]
    not_registered: NotRegistered
    new_players: Annotated[
        list[NewPlayer],
        Field(description=f"Created, or would be if `applied` is false; {MOST_NAMED} at most."),
    ]
    more: Annotated[int, Field(description="Number of new players who are not listed.")]


class ImportSummary(BaseModel):
    """The last line of the response."""

    summary: ImportCounts


class ImportReport(BaseModel):
    """The response as one JSON document."""

    items: list[ImportedGame]
    summary: ImportCounts


@dataclass(slots=True)
class UnratedGames:
    """The games of a file with seats that are not rated because their players were not in the club."""

    games: int = 0
    players: dict[str, None] = field(default_factory=dict)

    def add(self, taken: ImportResult) -> None:
        """Count one game of the file."""
        nicknames = [str(one.args[0]) for one in taken.warnings if one.code == NOT_REGISTERED]
        self.games += bool(nicknames)
        self.players |= dict.fromkeys(nicknames)

    def wire(self) -> dict[str, Any]:
        """They as :class:`NotRegistered` describes them."""
        return {"games": self.games, "players": list(self.players)}


def taken_wire(taken: ImportResult, language: Language) -> dict[str, Any]:
    """A line as :class:`ImportedGame` describes it."""
    conflict = {"code": taken.violations[0].code, "others": taken.others} if taken.result == "conflict" else {}
    return {
        "line": taken.line,
        "external_id": taken.external_id,
        "result": taken.result,
        "id": taken.id,
        **conflict,
        "violations": [violation_wire(violation, language) for violation in taken.violations[:_MOST_VIOLATIONS]],
        "warnings": [warning_wire(warning, language) for warning in taken.warnings],
    }


def summary_wire(
    counts: Counter[Result], new_players: NewPlayers, unrated: UnratedGames, *, applied: bool
) -> dict[str, Any]:
    """The last line as :class:`ImportSummary` describes it."""
    return {
        "summary": {
            **{result: counts[result] for result in get_args(Result)},
            "applied": applied,
            "not_registered": unrated.wire(),
            "new_players": [{"nickname": new.nickname, "like": list(new.like)} for new in new_players.named],
            "more": new_players.more,
        }
    }
