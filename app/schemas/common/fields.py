"""Members that several bodies of kept seasons have in common, and what lists are asked by."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from app.patterns import PLAIN_TEXT, SLUG
from app.services.storage import Page

Item = TypeVar("Item")

_MOMENT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})", re.ASCII
)

Slug = Annotated[str, StringConstraints(strict=True, pattern=SLUG)]
Name = Annotated[
    str,
    StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=128, pattern=PLAIN_TEXT),
]
"""What people call a club, a season or a key: 1 to 128 characters without control characters."""


def _moment(value: object) -> datetime:
    if type(value) is str and _MOMENT.fullmatch(value.upper()):
        try:
            return datetime.fromisoformat(value.upper()).astimezone(UTC)
        except (ValueError, OverflowError):
            pass
    raise PydanticCustomError("moment", "expected a time such as 2025-03-14T18:00:00Z")


Moment = Annotated[datetime, PlainValidator(_moment), WithJsonSchema({"type": "string", "format": "date-time"})]
"""A moment with its offset (RFC 3339), in UTC once read."""


class Body(BaseModel):
    """What a request says; an unknown member is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Changes(Body):
    """A body that changes something: what is absent, or null where there must be something, stays as it is."""

    clearable: ClassVar[frozenset[str]] = frozenset()
    """The members that null empties."""

    def given(self) -> dict[str, Any]:
        """The members to change, by name."""
        sent = {name: getattr(self, name) for name in self.model_fields_set}
        return {name: value for name, value in sent.items() if value is not None or name in self.clearable}


class NoQuery(BaseModel):
    """No parameters at all."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class PageQuery(BaseModel):
    """Which part of a list."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    limit: Annotated[int, Field(ge=1, le=200, description="The maximum number of items.")] = 50
    cursor: Annotated[
        str | None, Field(max_length=512, description="`next_cursor` of the previous page; if missing, the first page.")
    ] = None


def page_wire(page: Page[Item], wire_of: Callable[[Item], object]) -> dict[str, Any]:
    """Part of a list, as every list is answered."""
    return {"items": [wire_of(item) for item in page.items], "next_cursor": page.next_cursor}
