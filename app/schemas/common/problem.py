"""What an error looks like on the wire (RFC 9457)."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from app.scoring import violation as core
from app.web.language import Language


class Violation(BaseModel):
    """One error in a request: where it is, what was expected and what was found."""

    code: str
    clause: Annotated[
        str | None, Field(description="The clause of the regulation; null if the error is not about a clause.")
    ]
    pointer: Annotated[str, Field(description="A JSON pointer into the body, or `?name` for a query parameter.")]
    message: Annotated[str, Field(description="In the language of the response.")]
    limit: Annotated[Any, Field(description="What is allowed: a number, a word, a list of words or null.")]
    actual: Annotated[Any, Field(description="What was found: a number, a word or null.")]
    suggestions: Annotated[list[str], Field(description="Similar valid values, if any.")] = []


def violation_wire(violation: core.Violation, language: Language) -> dict[str, object]:
    """A fault as :class:`Violation` describes it."""
    wire: dict[str, object] = {
        "code": violation.code,
        "clause": violation.clause,
        "pointer": violation.pointer,
        "message": violation.message(language),
        "limit": violation.limit,
        "actual": violation.actual,
    }
    if violation.suggestions:
        wire["suggestions"] = violation.suggestions
    return wire


class Problem(BaseModel):
    """Why a request failed."""

    type: Annotated[
        str, Field(description="The address of the description of this problem type.", examples=["/problems/not-found"])
    ]
    title: str
    status: int
    detail: str
    instance: Annotated[str, Field(description="The request's path.")]
    code: Annotated[str | None, Field(description="Identifies the kind of conflict; otherwise null.")]
    violations: list[Violation]


class ProblemKind(BaseModel):
    """A problem type, as described at its address."""

    type: str
    title: str
    status: int
    detail: str
