"""Clubs on the wire (docs/api.md#clubs-keys-and-players)."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints

from app.schemas.common.fields import Body, Changes, Name, PageQuery, Slug
from app.services.clubs import clubs as stored
from app.services.clubs.new_key import NewKey

Zone = Annotated[
    str,
    StringConstraints(strict=True, max_length=64),
    Field(
        description="An IANA time zone, such as `Europe/Kyiv`. Games sent without a date get today's date in this zone."
    ),
]


class ClubIn(Body):
    """A new club."""

    slug: Annotated[Slug, Field(description="The club's path segment under `/v1/clubs/`.")]
    name: Name
    timezone: Zone = "UTC"


class ClubChangesIn(Changes):
    """Changes to a club. Fields that are missing or null stay unchanged."""

    slug: Slug | None = None
    name: Name | None = None
    timezone: Zone | None = None


class Club(BaseModel):
    """A club."""

    slug: str
    name: str
    timezone: str


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
    return {"slug": club.slug, "name": club.name, "timezone": club.timezone}


def new_club_wire(club: stored.Club, issued: NewKey, *, secret: str | None) -> dict[str, Any]:
    """The club as :class:`NewClub` describes it, with the secret or with null instead."""
    key = issued.key
    return {**club_wire(club), "key": {"id": key.public_id, "name": key.name, "role": key.role, "secret": secret}}
