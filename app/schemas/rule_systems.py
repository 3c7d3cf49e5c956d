"""Rule systems in lists; a whole one is served as the core's own value."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.scoring.rule_kinds import RuleKind as CoreKind
from app.scoring.rule_kinds import Sees
from app.scoring.rule_system import RuleSystem
from app.scoring.text import Text


class RuleSystemSummary(BaseModel):
    """The identity of a rule system."""

    id: str
    version: int
    title: Text
    source: str


class RuleSystemList(BaseModel):
    """The newest version of each system that was asked for."""

    items: list[RuleSystemSummary]


class RuleKind(BaseModel):
    """A kind of rule: what it does, what it takes, and what it gives."""

    kind: str
    sees: Annotated[
        Sees,
        Field(description="What it looks at: one `game`, all games of a `season` or tournament, or the `table`."),
    ]
    description: Text
    parameters: Annotated[
        dict[str, Any], Field(description="JSON Schema (2020-12) of a rule of this kind, `kind` included.")
    ]
    repeatable: Annotated[bool, Field(description="Whether a system may have more than one rule of the kind.")]
    reads: Annotated[
        list[str], Field(description="Fields of a game that only have a meaning where such a rule reads them.")
    ]
    codes: Annotated[list[str], Field(description="Codes of the lines that it can give.")]
    names: Annotated[list[str], Field(description="Names that formulas may use because of it.")]


class RuleKindList(BaseModel):
    """Every kind of rule, by name."""

    items: list[RuleKind]


class SystemsQuery(BaseModel):
    """Which systems are listed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Annotated[
        Literal["built_in", "catalogue"] | None,
        Field(description="`catalogue`: published scorings of clubs and federations. If missing, the built-in ones."),
    ] = None
    search: Annotated[
        str | None,
        Field(max_length=100, description="A part of the ID, title or source; of both kinds, if none is named."),
    ] = None


class SystemQuery(BaseModel):
    """Which version of a system; without one, the newest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Annotated[int | None, Field(ge=1, le=2**31 - 1, description="The version; if missing, the newest.")] = None


class ScoreQuery(SystemQuery):
    """Under which version a game is scored, and whether all of it."""

    partial: Annotated[bool, Field(description="Accept an unfinished game and judge what it says.")] = False


def summary_wire(system: RuleSystem) -> dict[str, Any]:
    """The system as :class:`RuleSystemSummary` describes it."""
    return {
        "id": system.id,
        "version": system.version,
        "title": system.title.model_dump(),
        "source": system.source,
    }


def kind_wire(kind: CoreKind) -> dict[str, Any]:
    """The kind as :class:`RuleKind` describes it."""
    return {**kind._asdict(), "description": kind.description.model_dump()}
