"""Whether a game that is sent again is one that is kept (API.md, ``external_id``)."""

from collections.abc import Collection, Mapping, Sequence

from app.repositories.clubs import players as people
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.games import games
from app.repositories.games.games import Version
from app.scoring.game import Game
from app.scoring.rule_system import RuleSystem
from app.services.games.checked_game import names_of, unregistered_by_judge
from app.services.games.fingerprint import Fingerprint, fingerprint, unregistered_seats


def is_repeat(tx: Transaction, system: RuleSystem, sent: Game, known: Mapping[str, Player], kept: games.Game) -> bool:
    """Whether ``sent`` has the facts of the current or an earlier version of ``kept``.

    Players are the same by identity, whatever they are called now; a day that was not written is no other day.
    """
    names = names_of(sent)
    if not known.keys() >= set(names):
        return False
    where = sorted((seat.seat, known[name].id) for seat, name in zip(sent.seats, names, strict=True))
    mark = fingerprint(sent.canonical(), unregistered_by_judge(system, sent))
    versions = [kept.current] if kept.version == 1 else games.versions(tx, kept.id)
    alike = [version for version in versions if _has_facts(version, mark)]
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
