"""The tables (docs/storage.md), by subject: clubs, seasons, games, the ledger, webhooks, and what was done and
answered.

They only say what the database has. What a row is in Python, a NamedTuple says beside the functions that read it.
Rows are written by the repositories only, from values that were validated before.
"""

from app.repositories.tables.base import Instant, metadata
from app.repositories.tables.changes import ANSWERS, CHANGES
from app.repositories.tables.clubs import CLUBS, KEYS, NICKNAMES, PLAYERS
from app.repositories.tables.evenings import EVENING_PLAYERS, EVENINGS, SEATINGS
from app.repositories.tables.games import APPROVALS, FORMER_APPROVALS, GAME_VERSIONS, GAMES, SEATS, TRAITS
from app.repositories.tables.ledger import KEPT_SUMS, LEDGER
from app.repositories.tables.seasons import CUP_ENTRIES, FROZEN_SEASONS, LOTS, SEASON_RULES, SEASONS, WITHDRAWN_LOTS
from app.repositories.tables.webhooks import (
    WEBHOOK_DELIVERIES,
    WEBHOOK_EVENTS,
    WEBHOOK_OUTBOXES,
    WEBHOOK_POSITIONS,
    WEBHOOKS,
)

__all__ = [
    "ANSWERS",
    "APPROVALS",
    "CHANGES",
    "CLUBS",
    "CUP_ENTRIES",
    "EVENINGS",
    "EVENING_PLAYERS",
    "FORMER_APPROVALS",
    "FROZEN_SEASONS",
    "GAMES",
    "GAME_VERSIONS",
    "KEPT_SUMS",
    "KEYS",
    "LEDGER",
    "LOTS",
    "NICKNAMES",
    "PLAYERS",
    "SEASONS",
    "SEASON_RULES",
    "SEATINGS",
    "SEATS",
    "TRAITS",
    "WEBHOOKS",
    "WEBHOOK_DELIVERIES",
    "WEBHOOK_EVENTS",
    "WEBHOOK_OUTBOXES",
    "WEBHOOK_POSITIONS",
    "WITHDRAWN_LOTS",
    "Instant",
    "metadata",
]
