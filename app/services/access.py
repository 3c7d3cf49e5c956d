"""Who may do what: the roles of keys, the one table of operations and roles, and the checks against it."""

import hashlib
import hmac
import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import partial
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from app.repositories.clubs import clubs, keys
from app.repositories.clubs.clubs import Club
from app.repositories.clubs.keys import Key
from app.repositories.database import Database, Transaction
from app.repositories.database.shared_reads import SharedReads
from app.repositories.games.hidden_games import HiddenGames
from app.repositories.seasons import seasons
from app.repositories.seasons.seasons import Season
from app.scoring.text import Text, words
from app.services.errors import Conflict, Forbidden, NotFound, Unauthorized

ClubRole: TypeAlias = Literal["reader", "judge", "chief_judge", "president"]
"""The roles of a club's keys."""

ROLES: Final[Mapping[str, Text]] = {
    "reader": words("наблюдатель", "reader"),
    "judge": words("судья", "judge"),
    "chief_judge": words("главный судья", "chief_judge"),
    "president": words("президент", "president"),
    "admin": words("администратор", "admin"),
}
"""What messages call the roles of keys."""

READERS: Final = frozenset[str](get_args(ClubRole))
ANYONE: Final = READERS | {"anonymous", "admin"}
JUDGES: Final = frozenset({"judge", "chief_judge", "president"})
PRESIDENT: Final = frozenset({"president"})

OPERATIONS: Final[Mapping[str, frozenset[str]]] = {
    "create_club": frozenset({"admin"}),
    "list_clubs": ANYONE,
    "get_club": ANYONE,
    "list_club_changes": PRESIDENT,
    "update_club": PRESIDENT,
    "create_key": frozenset({"president", "admin"}),
    "list_keys": PRESIDENT,
    "delete_key": PRESIDENT,
    "create_webhook": PRESIDENT,
    "list_webhooks": PRESIDENT,
    "get_webhook": PRESIDENT,
    "update_webhook": PRESIDENT,
    "delete_webhook": PRESIDENT,
    "try_webhook": PRESIDENT,
    "rotate_webhook_secret": PRESIDENT,
    "list_deliveries": PRESIDENT,
    "retry_delivery": PRESIDENT,
    "retry_webhook_delivery": PRESIDENT,
    "get_me": READERS | {"admin"},
    "create_player": JUDGES,
    "list_players": READERS,
    "get_player": READERS,
    "update_player": frozenset({"chief_judge", "president"}),
    "delete_player": PRESIDENT,
    "merge_player": PRESIDENT,
    "list_duplicates": JUDGES,
    "create_season": PRESIDENT,
    "list_seasons": ANYONE,
    "get_season": ANYONE,
    "list_season_changes": READERS,
    "update_season": PRESIDENT,
    "delete_season": PRESIDENT,
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
    "list_club_approvals": READERS,
    "decide_approval": frozenset({"chief_judge", "president"}),
    "get_evening": READERS,
    "put_evening": JUDGES,
    "draw_seating": JUDGES,
    "draw_lot": frozenset({"chief_judge", "president"}),
    "withdraw_lot": PRESIDENT,
    "list_lots": ANYONE,
    "list_entries": ANYONE,
    "get_entry": ANYONE,
    "enter_player": JUDGES,
    "withdraw_player": JUDGES,
    "get_standings": ANYONE,
    "get_standings_csv": ANYONE,
    "get_standings_xlsx": ANYONE,
    "get_player_standing": ANYONE,
    "get_player_progress": ANYONE,
    "get_player_statistics": ANYONE,
    "get_season_statistics": ANYONE,
    "get_events": ANYONE,
    "get_days": ANYONE,
    "get_awards": ANYONE,
}
"""The roles that may perform each operation. Operations open to anyone still hide a season that is not public from all
but its club. Which games a judge may correct is limited further (:mod:`app.services.games.games`), and what a chief
judge may change of a player (:mod:`app.services.seasons.player_changes`)."""

_MADE: Final = re.compile("mfr_[0-9a-z]+_[0-9a-f]{64}")
_READS: Final = ("get_", "list_")
_ROLE: Final = words("Нужны права: {}; у этого ключа — {}.", "Allowed roles: {}. The key's role is {}.")
_OTHER_CLUB: Final = words("Этот ключ от другого клуба.", "The key belongs to another club.")
_NO_CLUB: Final = words("Нет такого клуба.", "Club not found.")
NO_SEASON: Final = words("Нет такого сезона.", "Season not found.")
_CLOSED: Final = words("Сезон закрыт; сначала откройте его снова.", "The season is closed; reopen it first.")


class Caller(NamedTuple):
    """Who makes a request: a key in its role, or an anonymous caller."""

    key_id: int | None
    public_id: str | None
    club_id: int | None
    role: str
    name: str
    last_used_at: datetime | None = None
    expires_at: datetime | None = None

    def is_of(self, club_id: int) -> bool:
        """Whether the key belongs to the club."""
        return self.club_id == club_id


class Author(NamedTuple):
    """A caller with a stored key: whoever writes games, lots and entries."""

    key_id: int
    role: str


NOBODY: Final = Caller(None, None, None, "anonymous", "")
ADMIN: Final = Caller(None, None, None, "admin", "MAFRATE_ADMIN_KEY")
"""The admin, by the key from the settings."""


def hash_of(secret: str) -> str:
    """Return what is stored of a secret: its SHA-256, in hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def can_be_guessed(secret: str) -> bool:
    """Whether it is no secret of the form that the service makes (256 random bits): of keys, that of the settings."""
    return _MADE.fullmatch(secret) is None


def identify(database: Database, secret: str, *, admin_hash: str | None, now: datetime) -> Caller:
    """Return the caller with this key.

    ``admin_hash`` is the hash of the admin key from the settings, which overrides a stored one.

    Raises:
        Unauthorized: the key is unknown, revoked or expired.
    """
    return _identified(secret, partial(_look_up, database), admin_hash, now)


async def identify_now(reads: SharedReads, secret: str, *, admin_hash: str | None, now: datetime) -> Caller:
    """As :func:`identify`, by a SELECT for all who ask.

    Raises:
        Unauthorized: the key is unknown, revoked or expired.
    """
    prefix = secret.rpartition("_")[0]
    # One text that PostgreSQL cannot read would fail the SELECT of all.
    key = await keys.by_prefix_now(reads, prefix) if prefix.isprintable() and prefix else None
    return _identified(secret, lambda _: key, admin_hash, now)


def _look_up(database: Database, prefix: str) -> Key | None:
    with database.glance() as tx:
        return keys.by_prefix(tx, prefix)


def _identified(secret: str, find: Callable[[str], Key | None], admin_hash: str | None, now: datetime) -> Caller:
    hashed = hash_of(secret)
    if admin_hash is not None and hmac.compare_digest(hashed, admin_hash):
        return ADMIN
    prefix = secret.rpartition("_")[0]
    key = find(prefix) if prefix else None
    matches = hmac.compare_digest(hashed, key.secret_hash if key else hash_of(""))
    if key is None or not matches or not key.opens_at(now) or (key.club_id is None and admin_hash is not None):
        raise Unauthorized
    return Caller(key.id, key.public_id, key.club_id, key.role, key.name, key.last_used_at, key.expires_at)


def author_of(caller: Caller) -> Author:
    """Return the caller as the author of what it writes.

    Raises:
        Unauthorized: the caller has no stored key.
    """
    if caller.key_id is None:
        raise Unauthorized
    return Author(caller.key_id, caller.role)


def require(caller: Caller, operation: str, club_id: int | None = None) -> None:
    """Check that the caller may perform ``operation`` in a club (None: outside any club).

    Raises:
        Unauthorized: the operation requires a key and the caller has none.
        NotFound: a key of another club tries to read.
        Forbidden: a key of another club tries to write, or the role does not allow the operation.
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
    demand_role(caller, roles)


def demand_role(caller: Caller, roles: Collection[str]) -> None:
    """Check that the caller's key has one of these roles.

    Raises:
        Forbidden: it has another.
    """
    if caller.role not in roles:
        raise Forbidden(_ROLE, role_names(roles), ROLES[caller.role])


def role_names(roles: Collection[str]) -> Text:
    """Return the names of some roles of keys, the lesser first, as one list."""
    named = [name for role, name in ROLES.items() if role in roles]
    return words(", ".join(name.ru for name in named), ", ".join(name.en for name in named))


def find_club(tx: Transaction, slug: str) -> Club:
    """Return a club by its slug; anyone may know of it.

    Raises:
        NotFound: there is none.
    """
    club = clubs.by_slug(tx, slug)
    if club is None:
        raise NotFound(_NO_CLUB)
    return club


def club_for(tx: Transaction, caller: Caller, slug: str, operation: str) -> Club:
    """Return the club in which the caller may perform ``operation``.

    Raises:
        NotFound: there is no such club, or a key of another club tries to read.
        Unauthorized, Forbidden: the caller may not do this there.
    """
    club = find_club(tx, slug)
    require(caller, operation, club.id)
    return club


def may_read(caller: Caller, season: Season) -> bool:
    """Return whether the caller may know of the season at all."""
    return season.public or caller.is_of(season.club_id)


def hidden_from(caller: Caller, season: Season) -> HiddenGames | None:
    """Return the games of the season that do not exist for the caller; None: it sees all."""
    if (season.hidden_stage is None and season.hidden_day is None) or caller.is_of(season.club_id):
        return None
    return season.hidden_games


def season_for_reading(tx: Transaction, caller: Caller, club: str, season: str) -> Season:
    """Return a season by the slugs of its club and its own.

    Raises:
        NotFound: there is none, or it is not public and the caller is not of its club.
    """
    found = seasons.find(tx, club, season)
    if found is None or not may_read(caller, found):
        raise NotFound(NO_SEASON)
    return found


def season_for_writing(tx: Transaction, caller: Caller, club: str, season: str, operation: str) -> Season:
    """Return an open season, locked until the transaction ends.

    Raises:
        Unauthorized, Forbidden: the caller may not do ``operation`` there.
        NotFound: there is no such season that the caller may know of.
        Conflict: ``season_closed``.
    """
    found = season_locked(tx, caller, club, season, operation)
    demand_open(found)
    return found


def demand_open(season: Season) -> None:
    """Check that the season accepts changes.

    Raises:
        Conflict: ``season_closed``.
    """
    if season.closed_at is not None:
        raise Conflict("season_closed", _CLOSED)


def season_locked(tx: Transaction, caller: Caller, club: str, season: str, operation: str) -> Season:
    """Return a season, closed or not, locked until the transaction ends.

    Raises:
        Unauthorized, Forbidden: the caller may not do ``operation`` there.
        NotFound: there is no such season that the caller may know of.
    """
    if caller.role == "anonymous":
        raise Unauthorized
    found = seasons.find_locked(tx, club, season)
    if found is None or not may_read(caller, found):
        raise NotFound(NO_SEASON)
    require(caller, operation, found.club_id)
    return found
