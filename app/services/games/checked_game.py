"""A game on its way into a season: who sits where, whether its rules allow it, what they give."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias, cast

from app.repositories.clubs import clubs
from app.repositories.clubs import players as people
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.games import games
from app.repositories.games.games import SeatedPlayer
from app.repositories.seasons.seasons import Season
from app.scoring.breakdown import Breakdown
from app.scoring.exact_json import loads
from app.scoring.game import Game, Seat
from app.scoring.nickname import folded
from app.scoring.rule_system import RuleSystem
from app.scoring.rules.table_rules import Registration
from app.scoring.systems import find_system
from app.scoring.terms import Format
from app.scoring.text import words
from app.scoring.violation import RuleViolations, Violation
from app.services.access import Caller
from app.services.clubs.players import enrol, suggest
from app.services.games import fingerprint as fingerprint_

Suggest: TypeAlias = Callable[[str], Sequence[str]]
"""Nicknames that may be meant by one that means nobody."""

_SUGGESTED: Final = 20
"""Seats that get suggestions: no table is larger, and looking for them takes time that others wait for."""

_UNKNOWN: Final = words("в клубе нет игрока {}", "the club has no player {}")
_SAME_PLAYER: Final = words("{} и {} — один игрок", "{} and {} are the same player")
_OUTSIDE: Final = words("сезон идёт с {} по {}, игра — {}", "the season runs from {} to {}, the game was played on {}")


class CheckedGame(NamedTuple):
    """A game without violations, some of whose players may be yet to be made."""

    breakdown: Breakdown
    facts: dict[str, Any]
    """Canonical, with the day and with who was registered."""
    fingerprint: str
    names: Sequence[str]
    """Folded, along its seats."""
    played_on: date

    def drafted(self, known: Mapping[str, Player]) -> "SeatedGame":
        """The game with its players, now that ``known`` has every one."""
        players = [known[name] for name in self.names]
        return SeatedGame(self.breakdown, self.facts, self.fingerprint, players, self.played_on)


class SeatedGame(NamedTuple):
    """A game without violations, ready to be kept; the lists run along its seats."""

    breakdown: Breakdown
    facts: dict[str, Any]
    """Canonical, with the day and with who was registered."""
    fingerprint: str
    players: Sequence[Player]
    played_on: date

    @property
    def game(self) -> Game:
        """What the facts say, parsed."""
        return self.breakdown.game

    @property
    def seated(self) -> list[SeatedPlayer]:
        """Who sits where, by seat."""
        breakdown = self.breakdown
        return sorted(
            SeatedPlayer(seat.seat, player.id, registered)
            for seat, player, registered in zip(breakdown.game.seats, self.players, breakdown.registered, strict=True)
        )

    @property
    def totals(self) -> list[tuple[int, int]]:
        """Each seat's points in millionths, by seat."""
        return self.breakdown.totals


def rules_of(season: Season) -> RuleSystem:
    """The rule system that the season follows."""
    return find_system(season.rule_system, season.rule_version)


def examine(season: Season, game: Game) -> Breakdown:
    """What the season's rules give for the facts of a game.

    Raises:
        RuleViolations: they forbid it.
    """
    return rules_of(season).examine(game, cast(Format, season.format))


def names_of(game: Game) -> list[str]:
    """The folded nicknames along the seats."""
    return [folded(seat.player) for seat in game.seats]


def unregistered_by_judge(system: RuleSystem, game: Game) -> list[int]:
    """The seats whose players the judge called unregistered, where that matters."""
    rule = _registration(system)
    return [] if rule is None else [seat.seat for seat in game.seats if not _called_registered(rule, seat)]


def check_and_seat(
    tx: Transaction,
    caller: Caller,
    season: Season,
    game: Game,
    *,
    played_on: date,
    known: Mapping[str, Player],
    create_players: bool,
    now: datetime,
) -> SeatedGame:
    """What ``game`` will be in a locked season.

    Args:
        tx: whose lock on the season is held.
        caller: who will have made the players that are made.
        season: where it was played.
        game: as the judge wrote it.
        played_on: the day, where the judge wrote none.
        known: whom the nicknames mean.
        create_players: whether nicknames that mean nobody become players: registered ones, unless the regulation asks
            for registration.
        now: when.

    Raises:
        RuleViolations: every breach, of the regulation, the club's list of players and the season's days.
    """
    names = set(names_of(game))
    newcomers: dict[str, str] = {}
    if create_players and not known.keys() >= names:
        # Once the club is locked nobody else makes the same players before these are made.
        club = clubs.lock(tx, season.club_id)
        known = people.named(tx, club.id, names)
        newcomers = newcomers_of([game], known)
    nearest = partial(suggest, tx, season.club_id)
    weighed = check(season, game, played_on=played_on, known=known, newcomers=newcomers, suggest=nearest)
    if newcomers:
        known = {**known, **enrol(tx, caller, club, newcomers.values(), registered=enrols_registered(season), now=now)}
    return weighed.drafted(known)


def check(
    season: Season,
    game: Game,
    *,
    played_on: date,
    known: Mapping[str, Player],
    newcomers: Mapping[str, str],
    suggest: Suggest,
) -> CheckedGame:
    """What ``game`` will be once its newcomers are made; asks no database.

    Args:
        season: where it was played.
        game: as the judge wrote it.
        played_on: the day, where the judge wrote none.
        known: whom the nicknames mean; others than the game's do no harm.
        newcomers: the nicknames that mean nobody yet and will.
        suggest: who may be meant by the others.

    Raises:
        RuleViolations: every breach, of the regulation, the club's list of players and the season's days.
    """
    system = rules_of(season)
    names = names_of(game)
    day = game.played_on or played_on
    dated = _as_it_was(system, game, names, day, known)
    breakdown = _examined(season, dated, names, known, newcomers, suggest)
    canonical = dated.canonical()
    mark = fingerprint_.fingerprint(canonical, unregistered_by_judge(system, game))
    return CheckedGame(breakdown, canonical, str(mark), names, day)


def newcomers_of(games: Iterable[Game], known: Mapping[str, Player]) -> dict[str, str]:
    """The nicknames that mean nobody, as they are written where they are met first, by how they are folded."""
    found: dict[str, str] = {}
    for game in games:
        for seat in game.seats:
            name = folded(seat.player)
            if name not in known:
                found.setdefault(name, seat.player)
    return found


def enrols_registered(season: Season) -> bool:
    """Whether players who are made on the way are registered: unless the regulation asks for registration."""
    return _registration(rules_of(season)) is None


def seated_as_stored(tx: Transaction, game: games.Game, breakdown: Breakdown) -> SeatedGame:
    """A kept game as the draft of its next version: the same facts, and in the seats who sits there now."""
    seated = games.seats(tx, [game.id])[game.id]
    known = people.by_ids(tx, {seat.player_id for seat in seated})
    who = {seat.seat: known[seat.player_id] for seat in seated}
    current = game.current
    along = [who[seat.seat] for seat in breakdown.game.seats]
    return SeatedGame(breakdown, loads(current.facts), current.fingerprint, along, game.played_on)


def _as_it_was(system: RuleSystem, game: Game, names: Sequence[str], day: date, known: Mapping[str, Player]) -> Game:
    """``game`` with its day and, where the regulation asks for it, with who was registered in the club by then."""
    changed: dict[str, object] = {} if game.played_on == day else {"played_on": day}
    rule = _registration(system)
    if rule is not None:
        changed["seats"] = tuple(
            seat.model_copy(
                update={
                    "registered": _called_registered(rule, seat) and name in known and _in_club_by(known[name], day)
                }
            )
            for seat, name in zip(game.seats, names, strict=True)
        )
    return game.model_copy(update=changed) if changed else game


def _registration(system: RuleSystem) -> Registration | None:
    return next((rule for _, rule in system.game_rules if isinstance(rule, Registration)), None)


def _called_registered(rule: Registration, seat: Seat) -> bool:
    return rule.default if seat.registered is None else seat.registered


def _in_club_by(player: Player, day: date) -> bool:
    return player.registered and (player.registered_on is None or player.registered_on <= day)


def _examined(
    season: Season,
    game: Game,
    names: Sequence[str],
    known: Mapping[str, Player],
    newcomers: Mapping[str, str],
    suggest: Suggest,
) -> Breakdown:
    found: list[Violation] = []
    try:
        breakdown = examine(season, game)
    except RuleViolations as error:
        found += error.violations
    if len({known[name].id for name in names if name in known}) < len(names):
        found += _unknown(game, names, known, newcomers, suggest)
        found += _same_players(game, names, known)
    found += _outside(season, game)
    if found:
        raise RuleViolations(found)
    return breakdown


def _unknown(
    game: Game, names: Sequence[str], known: Mapping[str, Player], newcomers: Mapping[str, str], suggest: Suggest
) -> Iterator[Violation]:
    for i, (seat, name) in enumerate(zip(game.seats, names, strict=True)):
        if name not in known and name not in newcomers:
            near = tuple(suggest(seat.player)) if i < _SUGGESTED else ()
            where = f"/seats/{i}/player"
            yield Violation("unknown_player", where, _UNKNOWN, (seat.player,), actual=seat.player, suggestions=near)


def _same_players(game: Game, names: Sequence[str], known: Mapping[str, Player]) -> Iterator[Violation]:
    """Where two nicknames of one player sit at the table; where it is one nickname the table itself says so."""
    first: dict[int, int] = {}
    for i, (seat, name) in enumerate(zip(game.seats, names, strict=True)):
        if name in known:
            before = first.setdefault(known[name].id, i)
            if names[before] != name:
                both = (game.seats[before].player, seat.player)
                yield Violation("player_duplicate", f"/seats/{i}/player", _SAME_PLAYER, both, actual=seat.player)


def _outside(season: Season, game: Game) -> list[Violation]:
    day = game.played_on
    if day is None:
        return []
    if season.starts_on is not None and day < season.starts_on:
        missed = season.starts_on
    elif season.ends_on is not None and day > season.ends_on:
        missed = season.ends_on
    else:
        return []
    span = (season.starts_on or "…", season.ends_on or "…", day)
    return [Violation("played_on_outside_season", "/played_on", _OUTSIDE, span, missed.isoformat(), day.isoformat())]
