"""Clubs on the wire (docs/api.md#clubs-keys-and-players)."""

import re
from typing import Annotated, Any

from pydantic import BaseModel, Field, PlainValidator, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from app.patterns import DAY_END
from app.schemas.common.fields import Body, Changes, Name, PageQuery, Slug
from app.services.clubs import clubs as stored
from app.services.clubs.clubs import DAY_ENDS_AT
from app.services.clubs.new_key import NewKey

Zone = Annotated[
    str,
    StringConstraints(strict=True, max_length=64),
    Field(
        description="An IANA time zone, such as `Europe/Kyiv`. Games sent without a date get today's date in this zone."
    ),
]


def _day_end(value: object) -> str:
    if type(value) is str and re.fullmatch(DAY_END, value, re.ASCII):
        return value
    raise PydanticCustomError("day_end", "expected a time from 00:00 to 12:00, such as 06:00")


DayEnd = Annotated[
    str,
    PlainValidator(_day_end),
    WithJsonSchema({"type": "string", "pattern": f"^({DAY_END})$"}),
    Field(
        description="The time until which it is still the day before, from `00:00` to `12:00`: for games sent without "
        "a date and for registration. Stored games keep their dates.",
    ),
]


class ClubIn(Body):
    """A new club."""

    slug: Annotated[Slug, Field(description="The club's path segment under `/v1/clubs/`.")]
    name: Name
    timezone: Zone = "UTC"
    day_ends_at: DayEnd = DAY_ENDS_AT


class ClubChangesIn(Changes):
    """Changes to a club. Fields that are missing or null stay unchanged."""

    slug: Slug | None = None
    name: Name | None = None
    timezone: Zone | None = None
    day_ends_at: DayEnd | None = None


class Club(BaseModel):
    """A club."""

    slug: str
    name: str
    timezone: str
    day_ends_at: str


class ClubList(BaseModel):
    """Clubs, oldest first."""

    items: list[Club]
    next_cursor: str | None


class ClubsQuery(PageQuery):
    """Which clubs."""

    search: Annotated[
        str | None,
        Field(max_length=128, description="Only clubs with this in their name or slug; case does not matter."),
    ] = None


class FirstKey(BaseModel):
    """The key that comes with a new club."""

    id: str
    name: str
    role: str
    secret: Annotated[str | None, Field(description="Shown only once; null if the response is repeated.")]


class NewClub(Club):
    """A new club and its president's key."""

    key: FirstKey


def club_wire(club: stored.Club) -> dict[str, Any]:
    """The club as :class:`Club` describes it."""
    return {"slug": club.slug, "name": club.name, "timezone": club.timezone, "day_ends_at": club.day_ends_at}


def new_club_wire(club: stored.Club, issued: NewKey, *, secret: str | None) -> dict[str, Any]:
    """The club as :class:`NewClub` describes it, with the secret or with null instead."""
    key = issued.key
    return {**club_wire(club), "key": {"id": key.public_id, "name": key.name, "role": key.role, "secret": secret}}
