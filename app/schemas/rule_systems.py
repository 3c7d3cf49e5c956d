"""Rule systems in lists; a whole one is served as the core's own value."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from app.scoring.rule_system import RuleSystem
from app.scoring.text import Text


class RuleSystemSummary(BaseModel):
    """The identity of a rule system."""

    id: str
    version: int
    title: Text
    source: str


class RuleSystemList(BaseModel):
    """The newest version of each built-in system."""

    items: list[RuleSystemSummary]


class SystemQuery(BaseModel):
    """Which version of a system; without one, the newest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Annotated[int | None, Field(ge=1, le=2**31 - 1, description="The version; if missing, the newest.")] = None


def summary_wire(system: RuleSystem) -> dict[str, Any]:
    """The system as :class:`RuleSystemSummary` describes it."""
    return {
        "id": system.id,
        "version": system.version,
        "title": system.title.model_dump(),
        "source": system.source,
    }
