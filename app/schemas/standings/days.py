"""The days of a season on the wire (docs/api.md#standings)."""

from datetime import date
from typing import Annotated

from pydantic import BaseModel, Field

from app.schemas.common.numbers import Whole


class SeasonDay(BaseModel):
    """A day with counted games."""

    day: date
    games: Annotated[Whole, Field(description="How many games of this day count.")]
    players: Annotated[Whole, Field(description="How many different players sat in them.")]
