"""A game as the judge sent it, before its rules are applied: its names and facts, read once."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

from app.repositories.clubs import players as people
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.seasons.seasons import Season
from app.scoring.club_game import ClubSeat
from app.scoring.game import Game
from app.scoring.nickname import folded
from app.scoring.rule_system import RuleSystem
from app.scoring.rules.table_rules import Registration
from app.scoring.systems import find_system
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services.games.fingerprint import Fingerprint, fingerprint

NOBODY: Final[Mapping[str, Player]] = {}

_NOT_OWN: Final = ("facts-", "g_")
"""How external ids begin that the service made."""

_UNKNOWN_ID: Final = words("в клубе нет игрока с id «{}»", "the club has no player with the id {}")
_MISMATCH: Final = words("«{}» — не ник игрока «{}», названного в player_id", "{} is no nickname of the player {}")


class SentGame(NamedTuple):
    """A game, its canonical facts and their fingerprint; lists run along its seats."""

    system: RuleSystem
    """The season's."""
    game: Game
    names: Sequence[str]
    """The nicknames, folded; of who is named by an id, a name that no nickname folds to."""
    called_registered: Sequence[bool] | None
    """Whether the judge called each player registered; None where the regulation does not ask."""
    facts: dict[str, Any]
    """Canonical; not to be changed."""
    fingerprint: Fingerprint
    """Its day is empty where the judge wrote none."""
    day: date
    """That of the judge, or else the club's."""
    rated: Collection[str] = ()
    """Nicknames, folded, of players who stay rated whatever the club's register says (a correction)."""
    has_own_id: bool = False
    """Whether it is told apart by its external id, which is none that the service made."""
    has_ids: bool = False
    """Whether any player is named by an id."""
    by_id: Mapping[str, Player] = NOBODY
    """The players who are named by their ids, by what :attr:`names` calls them."""
    beside_id: Mapping[int, str] = {}
    """The nicknames, folded, that stand beside an id, by index of the seat."""

    def under(self, external_id: str | None) -> "SentGame":
        """The same game with another external id, or with none; the fingerprint does not look at it."""
        facts = {name: value for name, value in self.facts.items() if name != "external_id"}
        if external_id is not None:
            facts = {"external_id": external_id, **facts}
        return self._replace(game=self.game.model_copy(update={"external_id": external_id}), facts=facts)


def rules_of(season: Season) -> RuleSystem:
    """The rule system that the season follows."""
    return find_system(season.rule_system, season.rule_version)


def sent_games(tx: Transaction, season: Season, games: Iterable[Game], today: date) -> list[SentGame]:
    """The games as the rules of their season read them, with the players whose ids they have."""
    listed = list(games)
    ids = {id for game in listed for id in _ids(game)}
    meant = people.meant(tx, season.club_id, ids) if ids else NOBODY
    return [sent_game(season, game, today, meant) for game in listed]


def sent_game(season: Season, game: Game, today: date, meant: Mapping[str, Player] = NOBODY) -> SentGame:
    """The game as the rules of its season read it; ``meant``: who is meant by the ids in it.

    A nickname is not looked for where an id names the player.
    """
    system = rules_of(season)
    rule = registration_rule(system)
    called = None
    if rule is not None:
        called = [rule.default if seat.registered is None else seat.registered for seat in game.seats]
    unregistered = [seat.seat for seat, yes in zip(game.seats, called or (), strict=False) if not yes]
    names = [folded(seat.player) for seat in game.seats]
    by_id: Mapping[str, Player] = NOBODY
    beside: Mapping[int, str] = {}
    has_ids = bool(_ids(game))
    if has_ids:
        names, by_id, beside = _named_by_id(game, names, meant)
        game = game.model_copy(update={"seats": tuple(_with_nickname(seat, meant) for seat in game.seats)})
    facts = game.canonical()
    mark = fingerprint(facts, unregistered)
    day = game.played_on or today
    own = has_own_id(game.external_id)
    return SentGame(system, game, names, called, facts, mark, day, (), own, has_ids, by_id, beside)


def players_of(tx: Transaction, club_id: int, sent: Iterable[SentGame]) -> dict[str, Player]:
    """The players whom the games name and the club has, by what :attr:`SentGame.names` calls them.

    Whom a nickname beside an id means is among them.
    """
    names: set[str] = set()
    by_id: dict[str, Player] = {}
    for one in sent:
        names.update(one.names)
        if one.has_ids:
            names.update(one.beside_id.values())
            by_id |= one.by_id
    return people.named(tx, club_id, names - by_id.keys()) | by_id


def has_own_id(external_id: str | None) -> bool:
    """Whether a game is told apart by its external id: one that the service did not make."""
    return external_id is not None and not external_id.startswith(_NOT_OWN)


def is_id(name: str) -> bool:
    """Whether one of :attr:`SentGame.names` stands for an id."""
    return name.startswith(" ")


def misnamed(sent: SentGame, known: Mapping[str, Player]) -> Iterator[Violation]:
    """Where an id means nobody, or another player than the nickname beside it.

    A nickname of an older service may differ by invisible characters from one that is another player's.
    """
    for i, (seat, name) in enumerate(zip(sent.game.seats, sent.names, strict=True)):
        if not is_id(name):
            continue
        player, beside = sent.by_id.get(name), sent.beside_id.get(i)
        if player is None:
            id = name[1:]
            yield Violation("unknown_player", f"/seats/{i}/player_id", _UNKNOWN_ID, (id,), actual=id)
        elif beside is not None and beside != folded(player.nickname):
            means = known.get(beside)
            if means is None or means.id != player.id:
                both = (seat.player, player.nickname)
                yield Violation("player_mismatch", f"/seats/{i}/player", _MISMATCH, both, actual=seat.player)


def _ids(game: Game) -> list[str]:
    return [seat.player_id for seat in game.seats if isinstance(seat, ClubSeat) and seat.player_id is not None]


def _named_by_id(
    game: Game, names: Sequence[str], meant: Mapping[str, Player]
) -> tuple[list[str], dict[str, Player], dict[int, str]]:
    """What :class:`SentGame` has of the seats whose players are named by their ids."""
    called = [*names]
    by_id: dict[str, Player] = {}
    beside: dict[int, str] = {}
    for i, seat in enumerate(game.seats):
        if isinstance(seat, ClubSeat) and seat.player_id is not None:
            player = meant.get(seat.player_id)
            called[i] = f" {seat.player_id if player is None else player.public_id}"
            if player is not None:
                by_id[called[i]] = player
            if seat.player != seat.player_id:
                beside[i] = names[i]
    return called, by_id, beside


def _with_nickname(seat: Any, meant: Mapping[str, Player]) -> Any:
    """The seat without an id: with the nickname that was sent, or else the player's."""
    if not isinstance(seat, ClubSeat) or seat.player_id is None:
        return seat
    player = meant.get(seat.player_id)
    nickname = player.nickname if player is not None and seat.player == seat.player_id else seat.player
    return seat.model_copy(update={"player": nickname, "player_id": None})


def registration_rule(system: RuleSystem) -> Registration | None:
    """The rule by which only registered players count; None: everybody counts."""
    return next((rule for _, rule in system.game_rules if isinstance(rule, Registration)), None)
