"""What games are recognised by (:class:`app.services.games.fingerprint.Traits`)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from sqlalchemy import bindparam, func, select, text, update

from app.repositories.database import Transaction
from app.repositories.tables import GAME_VERSIONS, GAMES, SEASONS, SEATS, TRAITS

COLUMNS: Final = ("season_id", "trait", "game_id")

_AT_ONCE: Final = 1000
_WANTED = (TRAITS.c.season_id == bindparam("season"), TRAITS.c.trait.in_(bindparam("traits", expanding=True)))
_SHARING = select(TRAITS.c.trait, TRAITS.c.game_id).where(*_WANTED).order_by(TRAITS.c.game_id)
_FIRST = (
    select(TRAITS.c.trait, func.min(TRAITS.c.game_id).label("game_id"))
    .where(*_WANTED, TRAITS.c.game_id != bindparam("but_for"))
    .group_by(TRAITS.c.trait)
    .subquery()
)
_FIRST_SHARING = select(_FIRST.c.trait, GAMES.c.public_id).join_from(_FIRST, GAMES, GAMES.c.id == _FIRST.c.game_id)
_ADD = text("INSERT INTO traits (season_id, trait, game_id) VALUES (:season, :trait, :game) ON CONFLICT DO NOTHING")
_REACHED = update(SEASONS).where(SEASONS.c.id == bindparam("season")).values(traits_at=SEASONS.c.revision)
_VERSION = (GAME_VERSIONS.c.game_id, GAME_VERSIONS.c.fingerprint, GAME_VERSIONS.c.facts, GAME_VERSIONS.c.seated)
_WRITTEN = (
    select(*_VERSION)
    .join_from(GAMES, GAME_VERSIONS, GAMES.c.id == GAME_VERSIONS.c.game_id)
    .where(GAMES.c.season_id == bindparam("season"), GAME_VERSIONS.c.revision > bindparam("after"))
)


class WrittenVersion(NamedTuple):
    """What traits follow from."""

    game_id: int
    fingerprint: str
    facts: str
    seats_json: str


def sharing(tx: Transaction, season_id: int, traits: Sequence[int]) -> dict[int, list[int]]:
    """The row numbers of the season's games that have these traits, by trait, the first game first."""
    found: dict[int, list[int]] = {}
    for start in range(0, len(traits), _AT_ONCE):
        wanted = {"season": season_id, "traits": traits[start : start + _AT_ONCE]}
        for trait, game_id in tx.execute(_SHARING, wanted):
            found.setdefault(trait, []).append(game_id)
    return found


def first_sharing(
    tx: Transaction, season_id: int, traits: Sequence[int], *, but_for: int | None = None
) -> dict[int, str]:
    """The public id of the season's first game with each of these traits, by trait; ``but_for``: not this game."""
    found: dict[int, str] = {}
    for start in range(0, len(traits), _AT_ONCE):
        wanted = {"season": season_id, "traits": traits[start : start + _AT_ONCE], "but_for": but_for or 0}
        for trait, public_id in tx.execute(_FIRST_SHARING, wanted):
            found[trait] = public_id
    return found


def versions_with(tx: Transaction, player_id: int) -> dict[int, list[WrittenVersion]]:
    """The versions of all games in which a player sits now, by the row number of the season."""
    query = select(GAMES.c.season_id, *_VERSION).join_from(GAMES, GAME_VERSIONS, GAMES.c.id == GAME_VERSIONS.c.game_id)
    sits = select(SEATS.c.game_id).where(SEATS.c.player_id == player_id)
    found: dict[int, list[WrittenVersion]] = {}
    for season_id, *version in tx.execute(query.where(GAMES.c.id.in_(sits))):
        found.setdefault(season_id, []).append(WrittenVersion._make(version))
    return found


def add(tx: Transaction, season_id: int, traits: Iterable[tuple[int, int]]) -> None:
    """Write traits, each with the row number of a game that has it; those that are written are passed over."""
    rows = [{"season": season_id, "trait": trait, "game": game_id} for trait, game_id in traits]
    if rows:
        tx.execute(_ADD, rows)


def versions_after(tx: Transaction, season_id: int, revision: int) -> Iterator[WrittenVersion]:
    """The versions of the season's games that were written after a revision."""
    asked = {"season": season_id, "after": revision}
    for row in tx.execute(_WRITTEN.execution_options(yield_per=_AT_ONCE), asked):
        yield WrittenVersion._make(row)


def reach(tx: Transaction, season_id: int) -> None:
    """Note that the traits of all games of a locked season are written."""
    tx.execute(_REACHED, {"season": season_id})
