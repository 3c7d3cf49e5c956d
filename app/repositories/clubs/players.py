"""Players of a club and their nicknames, current and former."""

from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime
from typing import Final, NamedTuple

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy import delete as delete_from

from app.repositories.database import Transaction, batches, new_row
from app.repositories.database.ids import new_id
from app.repositories.database.pages import Page, after_row, page_of
from app.repositories.tables import NICKNAMES, PLAYERS


class Player(NamedTuple):
    """A stored player; ``merged_into`` is the survivor's row number."""

    id: int
    public_id: str
    club_id: int
    nickname: str
    registered: bool
    registered_on: date | None
    merged_into: int | None
    created_at: datetime

    @property
    def survivor_id(self) -> int:
        """Row number of the survivor, or of the player who was not merged."""
        return self.merged_into or self.id


class Newcomer(NamedTuple):
    """A player to be created."""

    nickname: str
    folded: str
    registered: bool
    registered_on: date | None


_AT_ONCE: Final = 1000

_ALL = select(*(PLAYERS.c[name] for name in Player._fields))
_NAMED = (
    select(NICKNAMES.c.folded, *_ALL.selected_columns)
    .join_from(NICKNAMES, PLAYERS, NICKNAMES.c.player_id == PLAYERS.c.id)
    .where(NICKNAMES.c.club_id == bindparam("club"), NICKNAMES.c.folded.in_(bindparam("folded", expanding=True)))
)
_BY_IDS = _ALL.where(PLAYERS.c.id.in_(bindparam("ids", expanding=True)))


def named(tx: Transaction, club_id: int, folded: Collection[str]) -> dict[str, Player]:
    """Return the player whom each folded nickname means in the club, never a merged one; unknown ones are left out."""
    found = {}
    listed = list(folded)
    for start in range(0, len(listed), _AT_ONCE):
        for name, *player in tx.execute(_NAMED, {"club": club_id, "folded": listed[start : start + _AT_ONCE]}):
            found[name] = Player._make(player)
    return found


def known_as(tx: Transaction, club_id: int) -> list[tuple[str, str]]:
    """Return every folded nickname of the club, former ones included, with its player's current nickname."""
    query = (
        select(NICKNAMES.c.folded, PLAYERS.c.nickname)
        .join_from(NICKNAMES, PLAYERS, NICKNAMES.c.player_id == PLAYERS.c.id)
        .where(NICKNAMES.c.club_id == club_id)
    )
    return [(folded, nickname) for folded, nickname in tx.execute(query)]


def aliases(tx: Transaction, player_ids: Collection[int]) -> dict[int, list[str]]:
    """Return the former nicknames of each player who has any, as they were written."""
    found: dict[int, list[str]] = {}
    for batch in batches(player_ids):
        query = (
            select(NICKNAMES.c.player_id, NICKNAMES.c.nickname)
            .join_from(NICKNAMES, PLAYERS, NICKNAMES.c.player_id == PLAYERS.c.id)
            .where(NICKNAMES.c.player_id.in_(batch), NICKNAMES.c.nickname != PLAYERS.c.nickname)
            .order_by(NICKNAMES.c.folded)
        )
        for player_id, nickname in tx.execute(query):
            found.setdefault(player_id, []).append(nickname)
    return found


def by_ids(tx: Transaction, player_ids: Collection[int]) -> dict[int, Player]:
    """Return the players with these row numbers."""
    found = {}
    for batch in batches(player_ids):
        for row in tx.execute(_BY_IDS, {"ids": batch}):
            found[row[0]] = Player._make(row)
    return found


def by_public_id(tx: Transaction, club_id: int, public_id: str) -> Player | None:
    """Return a player of the club, merged or not."""
    row = tx.execute(_ALL.where(PLAYERS.c.public_id == public_id, PLAYERS.c.club_id == club_id)).first()
    return Player._make(row) if row else None


def by_public_ids(tx: Transaction, club_id: int, public_ids: Collection[str]) -> dict[str, Player]:
    """Return players of the club by public id, merged or not; unknown ids are left out."""
    found = {}
    for batch in batches(public_ids):
        for row in tx.execute(_ALL.where(PLAYERS.c.public_id.in_(batch), PLAYERS.c.club_id == club_id)):
            player = Player._make(row)
            found[player.public_id] = player
    return found


def survivors(tx: Transaction, found: Iterable[Player]) -> dict[int, Player]:
    """Return by row number who each of these players is now: if merged, the survivor."""
    listed = list(found)
    merged = {player.merged_into for player in listed if player.merged_into is not None}
    present = by_ids(tx, merged)
    return {player.id: present.get(player.survivor_id, player) for player in listed}


def meant(tx: Transaction, club_id: int, public_ids: Collection[str]) -> dict[str, Player]:
    """Return who each of these public ids means now; ids that mean nobody in the club are left out."""
    found = by_public_ids(tx, club_id, public_ids)
    present = survivors(tx, found.values())
    return {public_id: present[player.id] for public_id, player in found.items()}


def of_club(tx: Transaction, club_id: int) -> dict[int, Player]:
    """Every player of the club by row number, merged ones too."""
    return {row[0]: Player._make(row) for row in tx.execute(_ALL.where(PLAYERS.c.club_id == club_id))}


def page(tx: Transaction, club_id: int, *, cursor: str | None, limit: int) -> Page[Player]:
    """Return a club's players who are not merged, oldest first.

    Raises:
        NotACursor: the cursor belongs to another list.
    """
    query = _ALL.where(PLAYERS.c.club_id == club_id, PLAYERS.c.merged_into.is_(None))
    if cursor is not None:
        query = query.where(PLAYERS.c.id > after_row(cursor))
    rows = tx.execute(query.order_by(PLAYERS.c.id).limit(limit + 1))
    return page_of([Player._make(row) for row in rows], limit, lambda player: (player.id,))


def add(tx: Transaction, club_id: int, newcomers: Iterable[Newcomer], at: datetime) -> dict[str, Player]:
    """Create players; return them by folded nickname.

    Nicknames are claimed in one order, so that transactions that create the same players wait for each other instead of
    deadlocking. Lock the club and call :func:`named` again to find them created.

    Raises:
        NotUnique: ``nicknames``, when one means somebody already.
    """
    created = {}
    claims = []
    for newcomer in sorted(newcomers, key=lambda newcomer: newcomer.folded):
        values = newcomer._asdict()
        folded = values.pop("folded")
        values |= {"public_id": new_id("p"), "club_id": club_id, "created_at": at}
        number = new_row(tx, PLAYERS, values)
        created[folded] = Player(id=number, merged_into=None, **values)
        claims.append({"club_id": club_id, "folded": folded, "nickname": newcomer.nickname, "player_id": number})
    if claims:
        tx.execute(insert(NICKNAMES), claims)
    return created


def claim(tx: Transaction, club_id: int, player_id: int, nicknames: Mapping[str, str]) -> None:
    """Let more nicknames, by folded nickname, mean a player of the club.

    Raises:
        NotUnique: ``nicknames``, when one means somebody else.
    """
    if nicknames:
        of = {"club_id": club_id, "player_id": player_id}
        tx.execute(insert(NICKNAMES), [{**of, "folded": key, "nickname": name} for key, name in nicknames.items()])


def rename(tx: Transaction, player: Player, *, nickname: str, folded: str) -> None:
    """Give the player a nickname, perhaps a former one; the current one becomes an alias.

    Raises:
        NotUnique: ``nicknames``, when it means somebody else.
    """
    respelt = tx.execute(
        update(NICKNAMES)
        .where(NICKNAMES.c.club_id == player.club_id, NICKNAMES.c.folded == folded, NICKNAMES.c.player_id == player.id)
        .values(nickname=nickname)
    )
    if not respelt.rowcount:
        claim = {"club_id": player.club_id, "folded": folded, "nickname": nickname, "player_id": player.id}
        tx.execute(insert(NICKNAMES), claim)
    tx.execute(update(PLAYERS).where(PLAYERS.c.id == player.id).values(nickname=nickname))


def register(tx: Transaction, player_id: int, *, registered: bool, on: date | None) -> None:
    """Store whether the player is registered in the club, and since when."""
    tx.execute(update(PLAYERS).where(PLAYERS.c.id == player_id).values(registered=registered, registered_on=on))


def delete(tx: Transaction, player_id: int) -> None:
    """Delete a player to whom nothing refers but nicknames, and those."""
    tx.execute(delete_from(NICKNAMES).where(NICKNAMES.c.player_id == player_id))
    tx.execute(delete_from(PLAYERS).where(PLAYERS.c.id == player_id))
