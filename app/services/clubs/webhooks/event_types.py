"""Which changes webhooks are told of, and what: ids and states, no nicknames and no notes."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

import orjson

from app.repositories.journal import Change

EventType: TypeAlias = Literal[
    "game.counted",
    "game.pending",
    "game.corrected",
    "game.voided",
    "games.imported",
    "approval.decided",
    "season.closed",
    "season.reopened",
    "season.rules_changed",
    "player.merged",
]

TYPES: Final[tuple[str, ...]] = get_args(EventType)
TEST: Final = "webhook.test"
"""The type of an event that says nothing happened."""

_OF_ACTIONS: Final[Mapping[str, EventType]] = {
    "game_corrected": "game.corrected",
    "game_voided": "game.voided",
    "game_approved": "approval.decided",
    "game_rejected": "approval.decided",
    "games_imported": "games.imported",
    "season_closed": "season.closed",
    "season_reopened": "season.reopened",
}
_OF_STATUSES: Final[Mapping[object, EventType]] = {"counted": "game.counted", "pending": "game.pending"}
_BY_STATUS: Final = frozenset({"game_submitted", "game_restored"})


class News(NamedTuple):
    """What is told of a change."""

    type: str
    at: datetime
    season: str | None = None
    revision: int | None = None
    game: Mapping[str, Any] | None = None
    more: Mapping[str, Any] = {}


def news_of(change: Change, season: str) -> News | None:
    """Return what is told of a change in a season; None: nothing."""
    detail = read_detail(change.detail)
    type: str | None = _OF_ACTIONS.get(change.action)
    if change.action in _BY_STATUS:
        type = _OF_STATUSES.get(detail.get("status"))
    elif change.action == "season_changed" and "rescored" in detail:
        type = "season.rules_changed"
    if type is None:
        return None
    game, more = None, {}
    if change.action.startswith("game_"):
        game = {"id": change.target, "version": detail.get("version"), "status": detail.get("status")}
    elif change.action == "games_imported":
        more = {"games": detail.get("games")}
    return News(type, change.at, season, change.revision, game, more)


def read_detail(detail: str | None) -> Mapping[str, Any]:
    """Return the detail of a change; empty where there is none that can be read, which an audit reports."""
    try:
        read = json.loads(detail or "{}")
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def written(news: News, club: str, sequence: int) -> str:
    """Return what is sent."""
    data = {
        "club": club,
        "season": news.season,
        "revision": news.revision,
        "sequence": sequence,
        "game": news.game,
        **news.more,
    }
    told = {"type": news.type, "timestamp": news.at, "data": data}
    return orjson.dumps(told, option=orjson.OPT_UTC_Z).decode()
