"""Which seats of a game are rated: by the judge's word, and by the club's register on the day of the game."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any, Final

from app.repositories.clubs import players
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.games import games
from app.repositories.games.games import SeatedPlayer
from app.scoring.breakdown import SeatWarning
from app.scoring.exact_json import loads
from app.scoring.text import words
from app.services.clubs.registration import was_registered
from app.services.games.fingerprint import Fingerprint, unregistered_seats
from app.services.games.sent_game import SentGame

NOT_REGISTERED: Final = "not_registered"

_NOT_RATED: Final = words(
    "«{}» не был зарегистрирован в клубе в день игры: его место не идёт в рейтинг",
    "{} was not registered in the club on the day of the game, so the seat is not rated",
)


def not_registered(facts: Mapping[str, Any], mark: Fingerprint, nicknames: Mapping[int, str]) -> list[SeatWarning]:
    """Return the warnings about seats that a rated game does not rate because their players were not in the club.

    Args:
        facts: of the game.
        mark: its fingerprint: it holds whom the judge called unregistered.
        nicknames: by seat.
    """
    if facts.get("cancelled") or not facts.get("rated", True):
        return []
    by_word = _called_unregistered(mark)
    seats = [seat["seat"] for seat in facts["seats"] if seat.get("registered") is False]
    return [SeatWarning(NOT_REGISTERED, seat, _NOT_RATED, (nicknames[seat],)) for seat in seats if seat not in by_word]


def rated_now(fingerprint: str, seats: Iterable[SeatedPlayer], known: Mapping[int, Player], day: date) -> Iterator[int]:
    """Find the seats that were not rated and now would be: their players are in the club as of ``day`` after all.

    Args:
        fingerprint: of the game's current version: it holds whom the judge called unregistered.
        seats: of the game.
        known: the players by row number.
        day: of the game.
    """
    by_word = _called_unregistered(Fingerprint.read(fingerprint))
    for one in seats:
        if not one.registered and one.seat not in by_word and was_registered(known[one.player_id], day):
            yield one.seat


def with_rated(facts: Mapping[str, Any], rated: Iterable[int]) -> dict[str, Any]:
    """Return the facts with the players of these seats registered."""
    numbers = set(rated)
    seats = [{**seat, "registered": True} if seat["seat"] in numbers else seat for seat in facts["seats"]]
    return {**facts, "seats": seats}


def registered_since(tx: Transaction, game: games.Game) -> dict[str, Any]:
    """Return the facts of a stored game with those registered whom the club registered as of its day since."""
    seated = games.seats(tx, [game.id])[game.id]
    known = players.by_ids(tx, {one.player_id for one in seated})
    return with_rated(loads(game.current.facts), rated_now(game.current.fingerprint, seated, known, game.played_on))


def as_corrected(
    tx: Transaction, sent: SentGame, before: games.Game, known: Mapping[str, Player], day: date
) -> SentGame:
    """Return the game as a correction of ``before`` means it.

    ``registered: false`` that repeats what the stored game says of a player, or of a seat, is the judge's word only if
    it was before. Who was rated stays so on the same day, whatever the club's register says by now.
    """
    if sent.called_registered is None:
        return sent
    seated = games.seats(tx, [before.id])[before.id]
    earlier = _called_unregistered(Fingerprint.read(before.current.fingerprint))
    shown = {seat["seat"] for seat in loads(before.current.facts)["seats"] if seat.get("registered") is False}
    seat_of = {one.player_id: one.seat for one in seated}
    called = []
    for name, seat, yes in zip(sent.names, sent.game.seats, sent.called_registered, strict=True):
        mine = seat_of.get(known[name].id) if name in known else None
        repeated = next((number for number in (mine, seat.seat) if number in shown), None)
        called.append(yes or (repeated is not None and repeated not in earlier))
    rated = {one.player_id for one in seated if one.registered} if day == before.played_on else set()
    unregistered = [seat.seat for seat, yes in zip(sent.game.seats, called, strict=True) if not yes]
    return sent._replace(
        called_registered=called,
        rated=frozenset(name for name in sent.names if name in known and known[name].id in rated),
        fingerprint=sent.fingerprint._replace(unregistered=unregistered_seats(unregistered)),
    )


def _called_unregistered(mark: Fingerprint) -> set[int]:
    return {int(seat) for seat in mark.unregistered.split(",") if seat}
