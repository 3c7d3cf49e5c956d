"""Stored games that a game may be: the same one, sent again or mended.

Which are looked at their traits say (:class:`app.services.games.fingerprint.Traits`); most games share none.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple

from app.repositories.clubs import players as people
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.games import games
from app.repositories.games import traits as recognised
from app.repositories.games.games import SeatedPlayer
from app.repositories.games.traits import WrittenVersion
from app.repositories.seasons.seasons import Season
from app.scoring.exact_json import loads
from app.scoring.text import words
from app.services.errors import Conflict
from app.services.games.fingerprint import Fingerprint, Traits, traits
from app.services.games.resubmission import is_resubmission
from app.services.games.sent_game import SentGame, has_own_id
from app.services.games.stored import version_tag

LIKELY_STORED: Final = words(
    "Такая игра в сезоне, похоже, уже есть: {}. Исправьте её или отправьте с allow_duplicate=true.",
    "The season seems to have this game already: {}. Correct that one, or send this one with allow_duplicate=true.",
)

_MOST: Final = 100
"""Games with one trait that are looked at."""
SAME_FACTS: Final = words("в сезоне есть игра с тем же протоколом: {}", "the season has a game with the same facts: {}")


class Description(NamedTuple):
    """What one game is told apart from another by, where neither has an id of its own."""

    day: date
    place: tuple[str | None, int | None, int] | None
    """Stage, table and number; None without a number."""
    seats: Mapping[int, tuple[int | str, str]]
    """Player and role by seat; a player who is no player of the club yet by nickname."""

    @property
    def players(self) -> set[int | str]:
        """Who played."""
        return {player for player, _ in self.seats.values()}


class Asked(NamedTuple):
    """By what another game may be alike."""

    place: bool = True
    """Day, stage, table, number, and who played."""
    seats: bool = True
    """Day, and who played where in which role."""


def described(sent: SentGame, day: date, known: Mapping[str, Player]) -> Description:
    """A game that is sent."""
    game = sent.game
    seats = {
        seat.seat: (known[name].id if name in known else name, seat.role)
        for seat, name in zip(game.seats, sent.names, strict=True)
    }
    return Description(day, None if game.number is None else (game.stage, game.table, game.number), seats)


def described_as_stored(game: games.Game, seated: Iterable[SeatedPlayer]) -> Description:
    """A stored game; ``seated``: who sits there now."""
    facts = loads(game.current.facts)
    roles = {seat["seat"]: seat["role"] for seat in facts["seats"]}
    number = facts.get("number")
    return Description(
        game.played_on,
        None if number is None else (facts.get("stage"), facts.get("table"), number),
        {one.seat: (one.player_id, roles[one.seat]) for one in seated},
    )


def traits_as_sent(sent: SentGame, day: date, known: Mapping[str, Player]) -> Traits:
    """What a game that is sent is recognised by; like none that is stored where a player has no row yet."""
    players = [
        (seat.seat, known[name].id if name in known else name)
        for seat, name in zip(sent.game.seats, sent.names, strict=True)
    ]
    return traits(sent.facts, sent.fingerprint.facts, day.isoformat(), players)


def traits_as_stored(game: games.Game, seated: Iterable[SeatedPlayer]) -> Traits:
    """What a stored game is recognised by as it stands; ``seated``: who sits there now."""
    mark = Fingerprint.read(game.current.fingerprint)
    return traits(loads(game.current.facts), mark.facts, mark.played_on, [one[:2] for one in seated])


_ALL: Final = Asked()


def are_alike(one: Description, other: Description, asked: Asked = _ALL) -> bool:
    """Whether two games are likely one: at one place most of the larger table's players, or the same table."""
    if one.day != other.day:
        return False
    if asked.seats and one.seats == other.seats:
        return True
    if not asked.place or one.place is None or one.place != other.place:
        return False
    return 2 * len(one.players & other.players) > max(len(one.seats), len(other.seats))


def asked_of(before: Description, after: Description) -> Asked:
    """What is to be asked about a correction: what it does not change was asked before."""
    moved = before.day != after.day
    place = moved or before.place != after.place or before.players != after.players
    return Asked(place, moved or before.seats != after.seats)


def as_existing(game: games.Game) -> dict[str, object]:
    """A stored game as a conflict names it."""
    tag = version_tag(game.public_id, game.version)
    return {"id": game.public_id, "version": game.version, "status": game.status, "etag": f'"{tag}"'}


def demand_unlike(alike: Sequence[games.Game]) -> None:
    """Check that a game is like none that is stored.

    Raises:
        Conflict: ``possible_duplicate``, with the first stored of ``alike`` and how many others there are.
    """
    if alike:
        first = alike[0]
        others = len(alike) - 1
        raise Conflict("possible_duplicate", LIKELY_STORED, first.public_id, existing=as_existing(first), others=others)


class StoredGames:
    """The stored games that have traits of some games that are sent, read at once.

    Args:
        tx: the transaction.
        sharing: their row numbers by trait (:func:`app.repositories.games.traits.sharing`).
    """

    def __init__(self, tx: Transaction, sharing: Mapping[int, Sequence[int]]) -> None:
        self._tx = tx
        self._sharing = {trait: numbers[:_MOST] for trait, numbers in sharing.items()}
        self._games = games.by_ids(tx, {number for numbers in self._sharing.values() for number in numbers})
        self._seats: dict[int, list[SeatedPlayer]] | None = None

    def with_traits(self, *traits: int | None) -> list[games.Game]:
        """Those that have any of these traits, the first stored first."""
        numbers = {number for trait in traits if trait for number in self._sharing.get(trait, ())}
        return [self._games[number] for number in sorted(numbers)]

    def equal(self, sent: SentGame, traits: Traits, known: Mapping[str, Player]) -> games.Game | None:
        """The game a version of which has the facts of ``sent``: one that is not voided, if there is one."""
        found = self.with_traits(traits.facts)
        for game in sorted(found, key=lambda game: game.status == "voided"):
            if is_resubmission(self._tx, sent, known, game):
                return game
        return None

    def alike_by_correction(self, before: games.Game, after: SentGame, known: Mapping[str, Player]) -> list[games.Game]:
        """Those that a stored game is like once it is corrected, by what the correction changes."""
        was = described_as_stored(before, games.seats(self._tx, [before.id])[before.id])
        becomes = described(after, after.day, known)
        traits = traits_as_sent(after, after.day, known)
        return self.alike(becomes, traits, asked=asked_of(was, becomes), but_for=before.id)

    def alike(
        self, one: Description, traits: Traits, *, asked: Asked = _ALL, but_for: int | None = None
    ) -> list[games.Game]:
        """Those that ``one`` likely is, the first stored first; voided ones are passed over."""
        near = self.with_traits(traits.seats, traits.place)
        found = [game for game in near if game.id != but_for and game.status != "voided"]
        if not found:
            return []
        if self._seats is None:
            self._seats = games.seats(self._tx, self._games)
        seats = self._seats
        return [game for game in found if are_alike(one, described_as_stored(game, seats[game.id]), asked)]


def stored_games(tx: Transaction, season: Season, traits: Sequence[int]) -> StoredGames | None:
    """The games of a locked season that have any of these traits; None: there are none."""
    if season.traits_at < season.revision:
        write_traits(tx, season)
    sharing = recognised.sharing(tx, season.id, traits)
    return StoredGames(tx, sharing) if sharing else None


def likely_restored(tx: Transaction, season: Season, voided: games.Game) -> list[games.Game]:
    """The games of a locked season that a voided one likely is, unless it has an id of its own."""
    if has_own_id(voided.external_id):
        return []
    seated = games.seats(tx, [voided.id])[voided.id]
    one, traits = described_as_stored(voided, seated), traits_as_stored(voided, seated)
    likely = stored_games(tx, season, traits.present[2:])
    return [] if likely is None else likely.alike(one, traits, but_for=voided.id)


def write_traits(tx: Transaction, season: Season) -> None:
    """Write the traits of those games of a locked season that were written after its ``traits_at``."""
    recognised.add(tx, season.id, unwritten(tx, season))
    recognised.reach(tx, season.id)


def unwritten(tx: Transaction, season: Season) -> Iterator[tuple[int, int]]:
    """The traits of games that were written after ``traits_at``, each with the row number of its game."""
    survivors = {id: player.survivor_id for id, player in people.of_club(tx, season.club_id).items()}
    return _traits_of(recognised.versions_after(tx, season.id, season.traits_at), survivors)


def follow_merge(tx: Transaction, club_id: int, survivor_id: int) -> None:
    """Let the games in which a survivor sits now be recognised by who the players of their versions are now."""
    survivors = {id: player.survivor_id for id, player in people.of_club(tx, club_id).items()}
    for season_id, versions in recognised.versions_with(tx, survivor_id).items():
        recognised.add(tx, season_id, _traits_of(versions, survivors))


def _traits_of(versions: Iterable[WrittenVersion], survivors: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """What versions are recognised by, each trait with the row number of its game; ``survivors``: who is who now."""
    for version in versions:
        mark = Fingerprint.read(version.fingerprint)
        seated = [(seat, survivors[player]) for seat, player, _ in loads(version.seats_json)]
        for trait in traits(loads(version.facts), mark.facts, mark.played_on, seated).present:
            yield trait, version.game_id
