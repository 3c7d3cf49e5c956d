"""A regulation that somebody sends, with its worked cases, and what becomes of them."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.schemas.common.fields import Body
from app.scoring.terms import Format
from app.services.rule_systems.cases import MOST_CASES, MOST_GAMES, CaseReport, Difference

Unread = Annotated[Any, Field(json_schema_extra={"type": "object"})]
"""An object that is read when its turn comes."""


class CaseIn(Body):
    """A worked case: one `game`, or a `format` and the `games` of a table."""

    name: Annotated[str, Field(strict=True, min_length=1, max_length=200)]
    game: Annotated[Unread, Field(description="A game as it is scored.")] = None
    format: Annotated[Format, Field(description="Of a table: `season` or `tournament`.")] = "season"
    games: Annotated[list[Unread] | None, Field(max_length=MOST_GAMES, description="The games of a table.")] = None
    expected: Annotated[
        dict[str, Any] | None,
        Field(
            description="Of a game `points` (by seat), `lines`, `approvals`, or `violations` (codes); of a table "
            "`rows` and `awards`. Without it, the response shows what comes out."
        ),
    ] = None


class RuleSystemProofIn(Body):
    """A rule system in the form of `GET /v1/rule-systems/{id}`, and worked cases."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    system: Annotated[Unread, Field(description="The rule system. Of `ru` and `en` texts one is enough.")]
    cases: Annotated[tuple[CaseIn, ...], Field(max_length=MOST_CASES, description="Worked cases.")] = ()


class CaseDifference(BaseModel):
    """Where a case expects something else than the system gives."""

    pointer: Annotated[str, Field(description="A JSON pointer into the case.")]
    expected: Any
    actual: Any
    lines: Annotated[list[dict[str, Any]], Field(description="The lines of that seat.")]


class CaseOutcome(BaseModel):
    """What became of a case."""

    name: str
    passed: Annotated[bool | None, Field(description="null: nothing was expected.")]
    differences: list[CaseDifference]
    actual: Annotated[dict[str, Any] | None, Field(description="What came out, if nothing was expected.")]


class Uncovered(BaseModel):
    """A rule that gave and refused nothing in any case."""

    clause: str
    kind: str


class RuleSystemProof(BaseModel):
    """A rule system that can be computed, and its cases."""

    valid: Literal[True]
    fingerprint: Annotated[str, Field(description="Equal for equal systems.")]
    cases: list[CaseOutcome]
    uncovered: list[Uncovered]
    warnings: list[dict[str, Any]]


def validated_wire(fingerprint: str, report: CaseReport) -> dict[str, Any]:
    """The report as :class:`RuleSystemProof` describes it."""
    return {
        "valid": True,
        "fingerprint": fingerprint,
        "cases": [
            {
                "name": result.name,
                "passed": result.passed,
                "differences": [_difference_wire(difference) for difference in result.differences],
                "actual": result.actual,
            }
            for result in report.results
        ],
        "uncovered": [rule._asdict() for rule in report.uncovered],
        "warnings": [],
    }


def _difference_wire(difference: Difference) -> dict[str, Any]:
    return {**difference._asdict(), "lines": list(difference.lines)}
