"""Games many at a time, as an import reads and writes them."""

from collections.abc import Collection, Sequence
from datetime import date
from typing import Final, NamedTuple

from sqlalchemy import bindparam, func, select, text

from app.repositories.database import Transaction, batches
from app.repositories.database.bulk import insert_rows
from app.repositories.database.ids import new_id
from app.repositories.games import traits as recognised
from app.repositories.games.games import ALL, VERSION_COLUMNS, Game, Version, game_of
from app.repositories.tables import GAME_VERSIONS, GAMES, SEATS, TRAITS

_HEAD = (
    "id", "public_id", "season_id", "external_id", "version", "status", "played_on", "stage", "created_by",
    "created_at", "entered",
)  # fmt: skip
_SEAT = ("game_id", "seat", "player_id", "registered")
_AT_ONCE: Final = 1000
_BY_EXTERNAL_IDS = ALL.where(
    GAMES.c.season_id == bindparam("season"), GAMES.c.external_id.in_(bindparam("ids", expanding=True))
)
_BY_OWN_IDS = ALL.where(
    GAMES.c.season_id == bindparam("season"),
    GAMES.c.public_id.in_(bindparam("ids", expanding=True)),
    GAMES.c.external_id.is_(None),
)
_NUMBERS = text("SELECT nextval(pg_get_serial_sequence('games', 'id')) FROM generate_series(1, :count)")


class NewGame(NamedTuple):
    """A game to be added in its first version; its number is one of :func:`numbers`."""

    id: int
    external_id: str | None
    played_on: date
    stage: str | None
    entered: int | None
    version: Version
    traits: Sequence[int | None] = ()


def numbers(tx: Transaction, count: int) -> Sequence[int]:
    """So many row numbers for new games, rising; on SQLite they are free until the transaction ends."""
    if tx.dialect.name == "postgresql":
        return list(tx.execute(_NUMBERS, {"count": count}).scalars())
    last = tx.execute(select(func.max(GAMES.c.id))).scalar() or 0
    return range(last + 1, last + count + 1)


def add_all(tx: Transaction, season_id: int, new: Sequence[NewGame]) -> list[str]:
    """The games with their versions and seats; their public ids.

    Raises:
        NotUnique: ``games``, when the season has a game with one of the external ids.
    """
    public_ids = [new_id("g") for _ in new]
    heads = [
        (
            game.id, public_id, season_id, game.external_id, 1, game.version.status, game.played_on, game.stage,
            game.version.key_id, game.version.at, game.entered,
        )
        for game, public_id in zip(new, public_ids, strict=True)
    ]  # fmt: skip
    versions = [(game.id, *game.version) for game in new]
    traits = [(season_id, trait, game.id) for game in new for trait in game.traits if trait is not None]
    seats = [(game.id, *seat) for game in new for seat in game.version.seats]
    insert_rows(tx, GAMES, _HEAD, heads)
    insert_rows(tx, GAME_VERSIONS, ("game_id", *VERSION_COLUMNS), versions)
    insert_rows(tx, SEATS, _SEAT, seats)
    insert_rows(tx, TRAITS, recognised.COLUMNS, traits, raw=True)
    return public_ids


def by_external_ids(tx: Transaction, season_id: int, external_ids: Sequence[str]) -> dict[str, Game]:
    """The season's games with these external ids, voided ones too, by external id."""
    found = {}
    for start in range(0, len(external_ids), _AT_ONCE):
        asked = {"season": season_id, "ids": external_ids[start : start + _AT_ONCE]}
        for row in tx.execute(_BY_EXTERNAL_IDS, asked):
            game = game_of(row)
            found[str(game.external_id)] = game
    return found


def by_own_ids(tx: Transaction, season_id: int, public_ids: Collection[str]) -> dict[str, Game]:
    """The season's games without an external id that have these public ids, by public id."""
    found = {}
    for batch in batches(public_ids):
        for row in tx.execute(_BY_OWN_IDS, {"season": season_id, "ids": batch}):
            game = game_of(row)
            found[game.public_id] = game
    return found
