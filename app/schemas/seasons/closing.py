"""Closing and reopening a season on the wire (docs/api.md#seasons)."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from app.patterns import PLAIN_TEXT
from app.schemas.games.games import Reason


class CloseQuery(BaseModel):
    """Why and how a season is closed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: Reason = None
    lots: Annotated[
        Literal["shared"] | None,
        Field(description="`shared`: close although lots are needed; the tied players share their places."),
    ] = None


class ReopenQuery(BaseModel):
    """Why a season is opened again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=500, pattern=PLAIN_TEXT),
        Field(description="The reason, stored with author and time."),
    ]
