"""An evening of a club: who is there, how many games each played and missed, and who plays next."""

import secrets
from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Final, NamedTuple

from app.repositories.clubs import clubs
from app.repositories.clubs import players as people
from app.repositories.clubs.clubs import Club
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.games import evenings, games
from app.repositories.games.evenings import Arrival, Evening, Seating
from app.repositories.games.games import Game
from app.scoring.exact_json import loads
from app.scoring.nickname import folded
from app.scoring.seating import Guest, Round, guests, next_players, seated
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services import journal
from app.services.access import Caller, author_of, club_for
from app.services.clubs.players import demand_player
from app.services.errors import Conflict, PreconditionRequired
from app.services.journal import Scope
from app.services.storage.settings_tag import demand_settings, settings_tag
from app.validation import InvalidInput

_SEED_BYTES: Final = 16
_TWICE: Final = words("этот игрок уже есть в списке", "the player is in the list already")
_TOO_FEW: Final = words("Свободных игроков: {}; нужно {}.", "Players who are free: {}; needed: {}.")


class Place(NamedTuple):
    """The game that is next at a table, and who was drawn to play it."""

    table: int | None
    """None: games that name none."""
    number: int
    seating: Seating | None


class PresentPlayer(NamedTuple):
    """A player who is there."""

    player: Player
    arrived_at: datetime
    played: int
    """Games of the day."""
    missed: int
    """Rounds since arriving."""


class EveningAsItIs(NamedTuple):
    """An evening and all that follows from its games."""

    day: date
    version: int
    there: Sequence[PresentPlayer]
    """In order of arrival."""
    places: Sequence[Place]
    names: dict[str, str]
    """Nicknames of all who were drawn, by public id."""


class DrawnSeating(NamedTuple):
    """Who plays next, by seat, and who waits, the first to play after them first."""

    seating: Seating
    players: Sequence[Player]
    waiting: Sequence[Player]


def get(tx: Transaction, caller: Caller, club: str, day: date) -> EveningAsItIs:
    """Return an evening; one of which nobody said anything is empty.

    Raises:
        Unauthorized, NotFound: evenings are shown to the club's keys only.
    """
    found = club_for(tx, caller, club, "get_evening")
    return _as_it_is(tx, found, day, evenings.find(tx, found.id, day))


def tag_of(evening: EveningAsItIs) -> str:
    """Return the tag of who is there."""
    return settings_tag(evening.day, evening.version)


def put(
    tx: Transaction,
    caller: Caller,
    club: str,
    day: date,
    *,
    players: Sequence[str],
    expected: Collection[str] | None,
    now: datetime,
) -> EveningAsItIs:
    """Say who is there, in order of arrival. Who was there before came when he came; others come now.

    Args:
        tx: the transaction.
        caller: who says so.
        club: its slug.
        day: of the evening.
        players: public ids or nicknames.
        expected: the tags that the caller takes for current; None: it did not say.
        now: when.

    Raises:
        Unauthorized, Forbidden, NotFound: judges of the club say so.
        PreconditionRequired: it was said before, and nothing is expected. PreconditionFailed: something else is.
        InvalidInput: somebody is nobody of the club, or there twice.
    """
    found = club_for(tx, caller, club, "put_evening")
    clubs.lock(tx, found.id)
    before = evenings.find(tx, found.id, day)
    if before is not None and expected is None:
        raise PreconditionRequired
    if expected is not None:
        demand_settings(expected, settings_tag(day, 0 if before is None else before.version))
    known = {} if before is None else dict(_present(tx, before))
    there = [Arrival(one.id, known.get(one.id, now)) for one in _found(tx, found, players)]
    after = evenings.write(tx, found.id, day, before, there)
    journal.record(tx, caller, day.isoformat(), "evening_changed", Scope(found.id), now, detail={"players": len(there)})
    return _as_it_is(tx, found, day, after)


def draw(
    tx: Transaction, caller: Caller, club: str, day: date, *, table: int, seats: int, now: datetime
) -> DrawnSeating:
    """Draw who plays next at a table and where, from a new seed that is recorded; no roles.

    Who was drawn at another table, and whose game there is not stored yet, plays there.

    Raises:
        Unauthorized, Forbidden, NotFound: judges of the club draw.
        Conflict: ``too_few_players``; ``available`` says how many are free.
    """
    found = club_for(tx, caller, club, "draw_seating")
    author = author_of(caller)
    clubs.lock(tx, found.id)
    evening = evenings.find(tx, found.id, day)
    present = [] if evening is None else _present(tx, evening)
    who = people.by_ids(tx, {number for number, _ in present})
    played = evenings.games_of(tx, found.id, day)
    drawn = [] if evening is None else evenings.seatings(tx, evening.id)
    places = _places(tx, played, drawn)
    busy = {id for place in places if place.seating and place.table != table for id in place.seating.drawn}
    there = [guest for guest in _guests(tx, present, who, played, drawn) if guest.player not in busy]
    if evening is None or len(there) < seats:
        raise Conflict("too_few_players", _TOO_FEW, len(there), seats, available=len(there))
    seed = secrets.token_hex(_SEED_BYTES)
    number = next((place.number for place in places if place.table == table), 1)
    order = next_players(there, len(there))
    seating = Seating(table, number, seed, seated(order[:seats], seed), now)
    evenings.add_seating(tx, evening.id, seating, key_id=author.key_id, role=author.role)
    detail = {"table": table, "number": number, "seed": seed}
    journal.record(tx, caller, day.isoformat(), "seating_drawn", Scope(found.id), now, detail=detail)
    by_id = {player.public_id: player for player in who.values()}
    return DrawnSeating(seating, [by_id[id] for id in seating.drawn], [by_id[id] for id in order[seats:]])


def _found(tx: Transaction, club: Club, players: Sequence[str]) -> list[Player]:
    """The players whom ids or nicknames mean, merged ones as their survivors.

    Raises:
        InvalidInput: every one who is nobody, or there twice.
    """
    by_id = people.meant(tx, club.id, players)
    by_name = people.named(tx, club.id, {folded(one) for one in players})
    found: list[Player] = []
    faults: list[Violation] = []
    for index, one in enumerate(players):
        pointer = f"/players/{index}"
        try:
            player = demand_player(by_id.get(one) or by_name.get(folded(one)), pointer)
        except InvalidInput as error:
            faults += error.violations
            continue
        if player in found:
            faults.append(Violation("value", pointer, _TWICE))
        found.append(player)
    if faults:
        raise InvalidInput(faults)
    return found


def _present(tx: Transaction, evening: Evening) -> list[tuple[int, datetime]]:
    """Who is there, as who they are now, each once."""
    there = evenings.arrivals(tx, evening.id)
    who = people.by_ids(tx, {arrival.player_id for arrival in there})
    present: dict[int, datetime] = {}
    for arrival in there:
        present.setdefault(who[arrival.player_id].survivor_id, arrival.arrived_at)
    return list(present.items())


def _as_it_is(tx: Transaction, club: Club, day: date, evening: Evening | None) -> EveningAsItIs:
    present = [] if evening is None else _present(tx, evening)
    who = people.by_ids(tx, {number for number, _ in present})
    played = evenings.games_of(tx, club.id, day)
    drawn = [] if evening is None else evenings.seatings(tx, evening.id)
    times: dict[str, int] = {}
    for sat in _players_of(tx, played).values():
        for player in sat:
            times[player] = times.get(player, 0) + 1
    by_id = {player.public_id: player for player in who.values()}
    there = [
        PresentPlayer(by_id[guest.player], guest.arrived_at, times.get(guest.player, 0), guest.missed)
        for guest in _guests(tx, present, who, played, drawn)
    ]
    places = _places(tx, played, drawn)
    ids = {id for place in places if place.seating for id in place.seating.drawn}
    names = {id: player.nickname for id, player in people.meant(tx, club.id, ids).items()}
    return EveningAsItIs(day, 0 if evening is None else evening.version, there, places, names)


def _guests(
    tx: Transaction,
    present: Sequence[tuple[int, datetime]],
    who: dict[int, Player],
    played: Sequence[Game],
    drawn: Sequence[Seating],
) -> list[Guest]:
    return guests([(who[number].public_id, at) for number, at in present], _rounds(tx, played, drawn))


def _rounds(tx: Transaction, played: Sequence[Game], drawn: Sequence[Seating]) -> list[Round]:
    """The games of the day, those of one number at several tables as one round.

    A game began when its seats were drawn, else some time before it was stored, which is all that is known.
    """
    began = {(seating.table, seating.number): seating.at for seating in drawn}
    players = _players_of(tx, played)
    rounds: dict[object, Round] = {}
    for game in played:
        table, number = _where(game)
        key = game.public_id if number is None or table is None else number
        at = game.created_at if table is None or number is None else began.get((table, number), game.created_at)
        before = rounds.get(key, Round(at, frozenset()))
        rounds[key] = Round(min(at, before.began_at), before.players | players[game.id])
    return list(rounds.values())


def _players_of(tx: Transaction, played: Sequence[Game]) -> dict[int, frozenset[str]]:
    """Public ids of who sits in each game, as who they are now."""
    seats = games.seats(tx, [game.id for game in played])
    who = people.by_ids(tx, {seat.player_id for sat in seats.values() for seat in sat})
    who |= people.by_ids(tx, {player.survivor_id for player in who.values()})
    return {
        number: frozenset(who[who[seat.player_id].survivor_id].public_id for seat in sat)
        for number, sat in seats.items()
    }


def _places(tx: Transaction, played: Sequence[Game], drawn: Sequence[Seating]) -> list[Place]:
    """The next game of each table that there was a game or a seating of."""
    numbers: dict[int | None, int] = {seating.table: 1 for seating in drawn}
    count: dict[int | None, int] = {}
    for game in played:
        table, number = _where(game)
        count[table] = count.get(table, 0) + 1
        numbers[table] = max(numbers.get(table, 1), (number or count[table]) + 1)
    last = {seating.table: seating for seating in drawn}
    places = []
    for table in sorted(numbers, key=lambda table: (table is None, table)):
        seating = None if table is None else last.get(table)
        is_next = seating is not None and seating.number == numbers[table]
        places.append(Place(table, numbers[table], seating if is_next else None))
    return places


def _where(game: Game) -> tuple[int | None, int | None]:
    """The table and the number of a game."""
    facts = loads(game.current.facts)
    return facts.get("table"), facts.get("number")
