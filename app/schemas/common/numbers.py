"""Numbers on the wire."""

from decimal import Decimal
from typing import Annotated, TypeAlias

from pydantic import Field, WithJsonSchema

Exact: TypeAlias = Annotated[
    Decimal, WithJsonSchema({"type": "number", "description": "Exact decimals: 0.25, never 0.30000000000000004."})
]
"""A JSON number with the exact decimals."""

Whole: TypeAlias = Annotated[int, Field(ge=0)]
