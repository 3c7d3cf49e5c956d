"""Who may do what: the one table of operations and roles, and what use cases ask of it (API.md, "Kept")."""

import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final, NamedTuple

from app.repositories.clubs import keys
from app.repositories.database import Database, Transaction
from app.repositories.seasons import seasons
from app.repositories.seasons.seasons import Season
from app.scoring.text import words
from app.services.errors import Conflict, Forbidden, NotFound, Unauthorized

ANYONE: Final = frozenset({"anonymous", "reader", "judge", "chief_judge", "president", "admin"})
READERS: Final = frozenset({"reader", "judge", "chief_judge", "president"})
JUDGES: Final = frozenset({"judge", "chief_judge", "president"})
PRESIDENT: Final = frozenset({"president"})

OPERATIONS: Final[Mapping[str, frozenset[str]]] = {
    "create_club": frozenset({"admin"}),
    "get_club": ANYONE,
    "list_club_changes": PRESIDENT,
    "update_club": PRESIDENT,
    "create_key": frozenset({"president", "admin"}),
    "list_keys": PRESIDENT,
    "delete_key": PRESIDENT,
    "get_me": READERS | {"admin"},
    "create_player": JUDGES,
    "list_players": READERS,
    "get_player": READERS,
    "update_player": PRESIDENT,
    "merge_player": PRESIDENT,
    "list_duplicates": JUDGES,
    "create_season": PRESIDENT,
    "list_seasons": ANYONE,
    "get_season": ANYONE,
    "list_season_changes": READERS,
    "update_season": PRESIDENT,
    "close_season": PRESIDENT,
    "reopen_season": PRESIDENT,
    "get_season_archive": PRESIDENT,
    "import_season": PRESIDENT,
    "submit_game": JUDGES,
    "import_games": JUDGES,
    "export_games": ANYONE,
    "list_games": ANYONE,
    "get_game": ANYONE,
    "correct_game": JUDGES,
    "void_game": JUDGES,
    "restore_game": JUDGES,
    "get_game_history": ANYONE,
    "list_approvals": READERS,
    "decide_approval": frozenset({"chief_judge", "president"}),
    "draw_lot": frozenset({"chief_judge", "president"}),
    "list_lots": ANYONE,
    "list_entries": ANYONE,
    "get_entry": ANYONE,
    "enter_player": JUDGES,
    "withdraw_player": JUDGES,
    "get_standings": ANYONE,
    "get_standings_csv": ANYONE,
    "get_standings_xlsx": ANYONE,
    "get_player_standing": ANYONE,
    "get_awards": ANYONE,
}
"""The roles that an operation is open to. What is open to anyone still hides a season that is not public from all but
its club; what a judge may correct is narrower still (:mod:`app.services.games.games`)."""

_MADE: Final = re.compile("mfr_[0-9a-z]+_[0-9a-f]{64}")
_READS: Final = ("get_", "list_")
_ROLE: Final = words("Это может: {}; роль ключа — {}.", "Open to: {}; the key's role is {}.")
_OTHER_CLUB: Final = words("Ключ другого клуба.", "The key is of another club.")
_NO_CLUB: Final = words("Нет такого клуба.", "There is no such club.")
_NO_SEASON: Final = words("Нет такого сезона.", "There is no such season.")
_CLOSED: Final = words("Сезон закрыт; сначала откройте его снова.", "The season is closed; reopen it first.")


class Caller(NamedTuple):
    """Who makes a request: a key in its role, or nobody in particular."""

    key_id: int | None
    public_id: str | None
    club_id: int | None
    role: str
    name: str
    last_used_at: datetime | None = None
    expires_at: datetime | None = None

    def is_of(self, club_id: int) -> bool:
        """Whether the key is one of the club's."""
        return self.club_id == club_id


NOBODY: Final = Caller(None, None, None, "anonymous", "")


def hash_of(secret: str) -> str:
    """What is kept of a secret: its SHA-256, in hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def can_be_guessed(secret: str) -> bool:
    """Whether it is no secret of the form that the service makes (256 random bits): of keys, that of the settings."""
    return _MADE.fullmatch(secret) is None


def identify(database: Database, secret: str, *, admin_hash: str | None, now: datetime) -> Caller:
    """The caller whose key this is. ``admin_hash``: of the admin's key from the settings, which wins over a stored one.

    Raises:
        Unauthorized: no key is so, or it was revoked, or it expired.
    """
    hashed = hash_of(secret)
    if admin_hash is not None and hmac.compare_digest(hashed, admin_hash):
        return Caller(None, None, None, "admin", "MAFRATE_ADMIN_KEY")
    prefix = secret.rpartition("_")[0]
    with database.glance() as tx:
        key = keys.by_prefix(tx, prefix) if prefix else None
    matches = hmac.compare_digest(hashed, key.secret_hash if key else hash_of(""))
    if key is None or not matches or not key.opens_at(now) or (key.club_id is None and admin_hash is not None):
        raise Unauthorized
    return Caller(key.id, key.public_id, key.club_id, key.role, key.name, key.last_used_at, key.expires_at)


def require(caller: Caller, operation: str, club_id: int | None = None) -> None:
    """Let the caller do ``operation`` in a club (None: in none), or refuse.

    Raises:
        Unauthorized: nobody in particular asks for what needs a key.
        NotFound: a key asks to read what is another club's.
        Forbidden: the key is another club's, or its role does not do.
    """
    roles = OPERATIONS[operation]
    if caller.role in roles and (caller.role == "admin" or "anonymous" in roles or caller.club_id == club_id):
        return
    if caller.role == "anonymous":
        raise Unauthorized
    if caller.role != "admin" and club_id is not None and caller.club_id != club_id:
        if operation.startswith(_READS):
            raise NotFound(_NO_CLUB)
        raise Forbidden(_OTHER_CLUB)
    if caller.role not in roles:
        raise Forbidden(_ROLE, ", ".join(sorted(roles)), caller.role)


def may_read(caller: Caller, season: Season) -> bool:
    """Whether the caller may know of the season at all."""
    return season.public or caller.is_of(season.club_id)


def season_for_reading(tx: Transaction, caller: Caller, club: str, season: str) -> Season:
    """The season at an address.

    Raises:
        NotFound: there is none, or it is not public and the caller not of its club.
    """
    found = seasons.find(tx, club, season)
    if found is None or not may_read(caller, found):
        raise NotFound(_NO_SEASON)
    return found


def season_for_writing(tx: Transaction, caller: Caller, club: str, season: str, operation: str) -> Season:
    """The season at an address, locked until the transaction ends.

    Raises:
        Unauthorized, Forbidden: the caller may not do ``operation`` there.
        NotFound: there is no such season that the caller may know of.
        Conflict: ``season_closed``.
    """
    found = season_locked(tx, caller, club, season, operation)
    demand_open(found)
    return found


def demand_open(season: Season) -> None:
    """Refuse unless the season takes writes.

    Raises:
        Conflict: ``season_closed``.
    """
    if season.closed_at is not None:
        raise Conflict("season_closed", _CLOSED)


def season_locked(tx: Transaction, caller: Caller, club: str, season: str, operation: str) -> Season:
    """As :func:`season_for_writing`, but closed or not.

    Raises:
        Unauthorized, Forbidden: the caller may not do ``operation`` there.
        NotFound: there is no such season that the caller may know of.
    """
    if caller.role == "anonymous":
        raise Unauthorized
    found = seasons.find_locked(tx, club, season)
    if found is None or not may_read(caller, found):
        raise NotFound(_NO_SEASON)
    require(caller, operation, found.club_id)
    return found
