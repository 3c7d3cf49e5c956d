"""Seasons and tournaments on the wire (docs/api.md#seasons)."""

from datetime import date, datetime
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, BeforeValidator, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from app.schemas.common.fields import Body, Changes, Name, Slug
from app.schemas.games.breakdown import SystemReference
from app.scoring.game import Day, Flag, TrueByDefault
from app.scoring.terms import Format, Stage
from app.services.seasons import seasons as stored


class SystemVersion(Body):
    """A version of a rule system; null: the newest."""

    id: Annotated[str, StringConstraints(strict=True, max_length=128)]
    version: Annotated[int | None, Field(strict=True, ge=1, le=2**31 - 1)] = None


def _named(value: object) -> object:
    return SystemVersion.model_construct(id=value) if type(value) is str else value


System = Annotated[
    SystemVersion,
    BeforeValidator(_named, json_schema_input_type=str | SystemVersion),
    Field(description="An ID (newest version), or an ID with a version. The season keeps that version."),
]
_FIRST_DAY = Field(description="The first day; null: open-ended.")
_LAST_DAY = Field(description="The last day, inclusive; null: open-ended.")
_AWARDS_FROM = Field(
    description="The slug of the club's season whose awards apply at registration (waived fee, priority); null: none."
)
_HIDDEN_FROM = Field(
    description="The stage or day from which on games do not exist for whoever has no key of the club; null: all show."
)
_PUBLIC = Field(description="Whether the season can be read without a key.")


class SeasonIn(Body):
    """A new season or tournament."""

    slug: Annotated[Slug, Field(description="The season's path segment under `…/seasons/`.")]
    name: Name
    rule_system: System
    format: Format = "season"
    starts_on: Annotated[Day | None, _FIRST_DAY] = None
    ends_on: Annotated[Day | None, _LAST_DAY] = None
    public: Annotated[TrueByDefault, _PUBLIC] = True
    awards_from: Annotated[Slug | None, _AWARDS_FROM] = None


class HiddenFrom(Body):
    """From where on the games of a season are hidden from whoever has no key of the club: one of both."""

    stage: Annotated[Stage | None, Field(description="In a tournament: games of this stage and later ones.")] = None
    day: Annotated[Day | None, Field(description="Games of this day and later ones.")] = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.stage is None) == (self.day is None):
            raise PydanticCustomError("hiding", "expected either stage or day")
        return self


class SeasonChangesIn(Changes):
    """Changes to a season. Fields that are missing or null stay unchanged, except that null removes ``starts_on``,
    ``ends_on``, ``awards_from`` or ``hidden_from``.
    """

    clearable: ClassVar[frozenset[str]] = frozenset({"starts_on", "ends_on", "awards_from", "hidden_from"})

    slug: Slug | None = None
    name: Name | None = None
    rule_system: Annotated[System | None, Field(description="Every game is rescored.")] = None
    format: Annotated[Format | None, Field(description="Can be changed only while the season has no games.")] = None
    starts_on: Annotated[Day | None, _FIRST_DAY] = None
    ends_on: Annotated[Day | None, _LAST_DAY] = None
    public: Annotated[Flag | None, _PUBLIC] = None
    awards_from: Annotated[Slug | None, _AWARDS_FROM] = None
    hidden_from: Annotated[HiddenFrom | None, _HIDDEN_FROM] = None


class Season(BaseModel):
    """A season or tournament of a club."""

    slug: str
    name: str
    rule_system: SystemReference
    format: Format
    starts_on: date | None
    ends_on: date | None
    public: bool
    revision: Annotated[
        int, Field(description="Increases by one with every change that can affect a response about the season.")
    ]
    closed_at: datetime | None
    awards_from: Annotated[str | None, _AWARDS_FROM]
    hidden_from: Annotated[HiddenFrom | None, _HIDDEN_FROM]


class SeasonList(BaseModel):
    """Seasons of a club that the key may read, newest first."""

    items: list[Season]
    next_cursor: str | None


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
        "hidden_from": _hidden_wire(season),
    }


def _hidden_wire(season: stored.Season) -> dict[str, Any] | None:
    if season.hidden_stage is not None:
        return {"stage": season.hidden_stage}
    return None if season.hidden_day is None else {"day": season.hidden_day}
