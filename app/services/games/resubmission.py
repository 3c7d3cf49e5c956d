"""Whether a game that is sent again is one that is stored."""

from collections.abc import Collection, Mapping, Sequence

from app.repositories.clubs import players as people
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.games import games
from app.repositories.games.games import Version
from app.services.games.fingerprint import Fingerprint, unregistered_seats
from app.services.games.sent_game import SentGame, misnamed


def is_resubmission(tx: Transaction, sent: SentGame, known: Mapping[str, Player], stored: games.Game) -> bool:
    """Whether ``sent`` has the facts of the current or an earlier version of ``stored``.

    Players are the same by identity, whatever they are called now; a day that was not written is no other day.
    """
    if not known.keys() >= set(sent.names) or (sent.has_ids and any(misnamed(sent, known))):
        return False
    where = sorted((seat.seat, known[name].id) for seat, name in zip(sent.game.seats, sent.names, strict=True))
    versions = [stored.current] if stored.version == 1 else games.versions(tx, stored.id)
    alike = [version for version in versions if _has_facts(version, sent.fingerprint)]
    return any(seats == where for seats in _survivors(tx, alike, {player.id for player in known.values()}))


def _has_facts(version: Version, mark: Fingerprint) -> bool:
    theirs = Fingerprint.read(version.fingerprint)
    if mark.facts != theirs.facts or mark.played_on not in ("", theirs.played_on):
        return False
    # Answers show who was not registered in the club as unregistered, and an answer may be sent again.
    shown = unregistered_seats(seat.seat for seat in version.seats if not seat.registered)
    return mark.unregistered in (theirs.unregistered, shown)


def _survivors(tx: Transaction, versions: Sequence[Version], present: Collection[int]) -> list[list[tuple[int, int]]]:
    """Who sat where by each version, players who were merged since replaced by their survivors."""
    gone = {seat.player_id for version in versions for seat in version.seats} - {*present}
    survivors = {player.id: player.survivor_id for player in people.by_ids(tx, gone).values()}
    return [
        sorted((seat.seat, survivors.get(seat.player_id, seat.player_id)) for seat in version.seats)
        for version in versions
    ]
