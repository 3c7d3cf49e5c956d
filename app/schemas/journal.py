"""What was done in a club or season on the wire (API.md, "Kept")."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from app.schemas.games.games import WrittenBy
from app.services.journal import JournalEntry


class Change(BaseModel):
    """One thing that was done."""

    action: Annotated[str, Field(description="What was done, such as `game_corrected` or `player_merged`.")]
    target: Annotated[str, Field(description="To what: the id of a game, player or key, or the slug of a season.")]
    season: Annotated[str | None, Field(description="The slug of the season that it was done in; null: in the club.")]
    revision: Annotated[int | None, Field(description="The season's revision that it made.")]
    reason: str | None
    detail: Annotated[dict[str, Any] | None, Field(description="What more was written down; it differs by action.")]
    at: datetime
    who: WrittenBy


class ChangeList(BaseModel):
    """Some of what was done, the last first."""

    items: list[Change]
    next_cursor: str | None


def change_wire(done: JournalEntry) -> dict[str, Any]:
    """The change as :class:`Change` describes it."""
    change = done.change
    return {
        "action": change.action,
        "target": change.target,
        "season": done.season,
        "revision": change.revision,
        "reason": change.reason,
        "detail": done.detail,
        "at": change.at,
        "who": {
            "role": change.role,
            "key": None if done.key is None else {"id": done.key.public_id, "name": done.key.name},
        },
    }
