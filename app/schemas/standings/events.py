"""Events of a season on the wire (docs/live.md)."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from app.services.standings.events.season_events import SeasonEvent


class EventsQuery(BaseModel):
    """From where on events are sent."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    after: Annotated[
        int | None,
        Field(
            ge=0,
            le=2**63 - 1,
            description="The revision that the client knows: that of the table that it shows. `Last-Event-ID` "
            "overrides it. If missing, only new revisions are sent.",
        ),
    ] = None


class ChangedGame(BaseModel):
    """A game that was changed."""

    id: str
    status: str


class RevisionEvent(BaseModel):
    """The data of an event `revision`."""

    revision: int
    games: Annotated[list[ChangedGame], Field(description="The games that got a version, at most 100.")]
    more: Annotated[int, Field(description="How many games got a version beyond those.")]


def event_wire(event: SeasonEvent) -> dict[str, Any]:
    """The event as :class:`RevisionEvent` describes it."""
    games = [{"id": game.id, "status": game.status} for game in event.games]
    return {"revision": event.revision, "games": games, "more": event.more}
