"""Seasons and tournaments on the wire (API.md, "Kept")."""

from datetime import date, datetime
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, Field, StringConstraints

from app.schemas.common.fields import Body, Changes, Name, Slug
from app.schemas.games.breakdown import SystemReference
from app.scoring.game import Day, Flag, Format
from app.services.seasons import seasons as stored


class SystemVersion(Body):
    """A version of a rule system; null: the newest."""

    id: Annotated[str, StringConstraints(strict=True, max_length=128)]
    version: Annotated[int | None, Field(strict=True, ge=1, le=2**31 - 1)] = None


def _named(value: object) -> object:
    return SystemVersion.model_construct(id=value) if type(value) is str else value


def _or_true(value: object) -> object:
    return True if value is None else value


System = Annotated[
    SystemVersion,
    BeforeValidator(_named, json_schema_input_type=str | SystemVersion),
    Field(description="An id, for its newest version, or an id with a version. The season stays with that version."),
]
_FIRST_DAY = Field(description="The first day; null: open.")
_LAST_DAY = Field(description="The last day, which belongs to it; null: open.")
_AWARDS_FROM = Field(
    description="The slug of the club's season whose awards hold at this one's registration (a waived fee, priority); "
    "null: none."
)
_PUBLIC = Field(description="Whether it can be read without a key.")


class SeasonIn(Body):
    """A season or tournament to be made."""

    slug: Annotated[Slug, Field(description="Its address below `…/seasons/`.")]
    name: Name
    rule_system: System
    format: Format = "season"
    starts_on: Annotated[Day | None, _FIRST_DAY] = None
    ends_on: Annotated[Day | None, _LAST_DAY] = None
    public: Annotated[Flag, BeforeValidator(_or_true, json_schema_input_type=bool | None), _PUBLIC] = True
    awards_from: Annotated[Slug | None, _AWARDS_FROM] = None


class SeasonChangesIn(Changes):
    """What to change of a season; what is absent stays, and so does what is null, but a day that is null is open and
    ``awards_from`` that is null names no season.
    """

    clearable: ClassVar[frozenset[str]] = frozenset({"starts_on", "ends_on", "awards_from"})

    slug: Slug | None = None
    name: Name | None = None
    rule_system: Annotated[System | None, Field(description="Every game is scored anew.")] = None
    format: Annotated[Format | None, Field(description="Only while the season has no games.")] = None
    starts_on: Annotated[Day | None, _FIRST_DAY] = None
    ends_on: Annotated[Day | None, _LAST_DAY] = None
    public: Annotated[Flag | None, _PUBLIC] = None
    awards_from: Annotated[Slug | None, _AWARDS_FROM] = None


class Season(BaseModel):
    """A season or tournament of a club."""

    slug: str
    name: str
    rule_system: SystemReference
    format: Format
    starts_on: date | None
    ends_on: date | None
    public: bool
    revision: Annotated[int, Field(description="Rises by one with every change that can alter an answer about it.")]
    closed_at: datetime | None
    awards_from: Annotated[str | None, _AWARDS_FROM]


class SeasonList(BaseModel):
    """Some of a club's seasons that the key may read, the newest first."""

    items: list[Season]
    next_cursor: str | None


def rules_of(system: SystemVersion) -> stored.RequestedRules:
    """The rule system as the service takes it."""
    return stored.RequestedRules(system.id, system.version)


def season_wire(season: stored.Season) -> dict[str, Any]:
    """The season as :class:`Season` describes it."""
    return {
        "slug": season.slug,
        "name": season.name,
        "rule_system": {"id": season.rule_system, "version": season.rule_version},
        "format": season.format,
        "starts_on": season.starts_on,
        "ends_on": season.ends_on,
        "public": season.public,
        "revision": season.revision,
        "closed_at": season.closed_at,
        "awards_from": season.awards_from,
    }
