"""What was done in a club or season on the wire (docs/api.md#seasons)."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from app.schemas.games.games import WrittenBy
from app.services.journal import JournalEntry


class Change(BaseModel):
    """One recorded change."""

    action: Annotated[str, Field(description="The action, such as `game_corrected` or `player_merged`.")]
    target: Annotated[
        str, Field(description="What was changed: the ID of a game, player or key, or the slug of a season.")
    ]
    season: Annotated[str | None, Field(description="The slug of the season; null for a change to the club itself.")]
    revision: Annotated[int | None, Field(description="The season's revision that the change created.")]
    reason: str | None
    detail: Annotated[dict[str, Any] | None, Field(description="More details; the fields depend on the action.")]
    at: datetime
    who: WrittenBy


class ChangeList(BaseModel):
    """Changes, newest first."""

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
