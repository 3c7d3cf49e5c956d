"""A sent game against its season: whether the rules allow it, what they give, who sits where."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, NamedTuple, TypeAlias, cast

from app.repositories.clubs import clubs
from app.repositories.clubs import players as people
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.games import games
from app.repositories.games.games import SeatedPlayer
from app.repositories.seasons.seasons import Season
from app.scoring.breakdown import Breakdown, SeatWarning
from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.terms import Format
from app.scoring.text import words
from app.scoring.violation import RuleViolations, Violation
from app.services.access import Caller
from app.services.clubs.clubs import day_at
from app.services.clubs.players import NOBODY_SINCE, KnownNicknames, enrol
from app.services.clubs.registration import was_registered
from app.services.games.fingerprint import Fingerprint, Traits, traits
from app.services.games.registration import not_registered
from app.services.games.sent_game import SentGame, is_id, misnamed, players_of, registration_rule, rules_of

Suggest: TypeAlias = Callable[[str], Sequence[str]]
"""Nicknames that may be meant by one that means nobody."""

_SUGGESTED: Final = 20
"""Seats that get suggestions: no table is larger, and looking for them takes time that others wait for."""

_UNKNOWN: Final = words("в клубе нет игрока с ником «{}»", "the club has no player {}")
_SAME_PLAYER: Final = words("«{}» и «{}» — один и тот же игрок", "{} and {} are the same player")
_OUTSIDE: Final = words(
    "игра сыграна {2}, а сезон идёт с {0} по {1}", "the season runs from {} to {}, the game was played on {}"
)


class CheckedGame(NamedTuple):
    """A game without violations, some of whose players may not exist yet; lists run along its seats."""

    breakdown: Breakdown
    facts: dict[str, Any]
    """Canonical, with the day and with who was registered."""
    fingerprint: Fingerprint
    names: Sequence[str]
    """The nicknames, folded."""
    registered: Sequence[bool]
    """Whether each player counts in sums."""
    played_on: date

    def seated(self, known: Mapping[str, Player]) -> "SeatedGame":
        """The game with its players, now that ``known`` has every one."""
        players = [known[name] for name in self.names]
        seats = _seats(self.breakdown, players, self.registered)
        mark = self.fingerprint
        recognised_by = traits(self.facts, mark.facts, mark.played_on, [seat[:2] for seat in seats])
        return SeatedGame(self.breakdown, self.facts, self.fingerprint, players, seats, self.played_on, recognised_by)


class SeatedGame(NamedTuple):
    """A game without violations, ready to be stored; lists run along its seats."""

    breakdown: Breakdown
    facts: dict[str, Any]
    """Canonical, with the day and with who was registered."""
    fingerprint: Fingerprint
    players: Sequence[Player]
    seats: Sequence[SeatedPlayer]
    played_on: date
    traits: Traits | None = None
    """What it is recognised by; None if its facts are those of a stored version."""

    @property
    def not_registered(self) -> list[SeatWarning]:
        """That seats are not rated because their players were not in the club."""
        if all(seat.registered for seat in self.seats):
            return []
        nicknames = {one.seat: player.nickname for one, player in zip(self.seats, self.players, strict=True)}
        return not_registered(self.facts, self.fingerprint, nicknames)


def check_and_seat(
    tx: Transaction,
    caller: Caller,
    season: Season,
    sent: SentGame,
    *,
    day: date,
    known: Mapping[str, Player],
    create_players: bool,
    register_players: bool = False,
    now: datetime,
) -> SeatedGame:
    """Check a game of a locked season and create its new players.

    Args:
        tx: the transaction that holds the lock of the season.
        caller: who creates the players.
        season: the season of the game.
        sent: the game as the judge wrote it.
        day: when it was played.
        known: players by folded nickname.
        create_players: whether unknown nicknames become players (registered, unless the regulation requires
            registration).
        register_players: whether new players are registered in any case, on the day of the game.
        now: the time.

    Raises:
        RuleViolations: all violations of the regulation, the club's player list and the season's dates.
    """
    names = set(sent.names)
    newcomers: dict[str, str] = {}
    if create_players and not known.keys() >= names:
        # Once the club is locked nobody else creates the same players before these are created.
        club = clubs.lock(tx, season.club_id)
        known = players_of(tx, club.id, [sent])
        newcomers = newcomers_of([sent], known)
    club_names: list[KnownNicknames] = []

    def nearest(nickname: str) -> Sequence[str]:
        if not club_names:
            club_names.append(KnownNicknames(tx, season.club_id))
        return club_names[0].near(nickname)

    since = dict.fromkeys(newcomers, min(day, day_at(season, now))) if register_players else {}
    checked = check(season, sent, day=day, known=known, newcomers=newcomers, since=since, suggest=nearest)
    if newcomers:
        registered = enrols_registered(season)
        known = {**known, **enrol(tx, caller, club, newcomers.values(), registered=registered, since=since, now=now)}
    return checked.seated(known)


def check(
    season: Season,
    sent: SentGame,
    *,
    day: date,
    known: Mapping[str, Player],
    newcomers: Mapping[str, str],
    since: Mapping[str, date] = NOBODY_SINCE,
    suggest: Suggest,
) -> CheckedGame:
    """Check a game as if its new players existed. Does not access the database.

    Args:
        season: the season of the game.
        sent: the game as the judge wrote it.
        day: when it was played.
        known: players by folded nickname; may contain players who are not in the game.
        newcomers: unknown nicknames that will become players.
        since: as of which day newcomers will be registered, by folded nickname; the others will not.
        suggest: finds similar nicknames for the remaining unknown ones.

    Raises:
        RuleViolations: all violations of the regulation, the club's player list and the season's dates.
    """
    registered = _registered(sent, day, known, since)
    game = _dated(sent.game, day, registered)
    breakdown = _examined(season, sent, game, known, newcomers, suggest)
    return CheckedGame(
        breakdown,
        _dated_facts(sent.facts, day, registered),
        sent.fingerprint._replace(played_on=day.isoformat()),
        sent.names,
        (True,) * len(sent.names) if registered is None else registered,
        day,
    )


def newcomers_of(sent: Iterable[SentGame], known: Mapping[str, Player]) -> dict[str, str]:
    """Return the unknown nicknames, as first written, by folded nickname."""
    found: dict[str, str] = {}
    for one in sent:
        for name, seat in zip(one.names, one.game.seats, strict=True):
            if name not in known and not is_id(name):
                found.setdefault(name, seat.player)
    return found


def enrols_registered(season: Season) -> bool:
    """Whether players created by a game are registered. False if the regulation requires registration."""
    return registration_rule(rules_of(season)) is None


def seated_as_stored(tx: Transaction, game: games.Game, breakdown: Breakdown) -> SeatedGame:
    """A stored game as its next version will be: the same facts, and in the seats who sits there now."""
    seats = games.seats(tx, [game.id])[game.id]
    known = people.by_ids(tx, {seat.player_id for seat in seats})
    who = {seat.seat: known[seat.player_id] for seat in seats}
    current = game.current
    players = [who[seat.seat] for seat in breakdown.game.seats]
    seated = _seats(breakdown, players, breakdown.registered)
    mark = Fingerprint.read(current.fingerprint)
    return SeatedGame(breakdown, loads(current.facts), mark, players, seated, game.played_on)


def _seats(breakdown: Breakdown, players: Sequence[Player], registered: Sequence[bool]) -> list[SeatedPlayer]:
    each = zip(breakdown.game.seats, players, registered, strict=True)
    return [SeatedPlayer(seat.seat, player.id, counts) for seat, player, counts in each]


def _registered(sent: SentGame, day: date, known: Mapping[str, Player], since: Mapping[str, date]) -> list[bool] | None:
    """Who counts as registered: whom the judge called so and the club had registered by then."""
    if sent.called_registered is None:
        return None

    def in_club(name: str) -> bool:
        if name in known:
            return name in sent.rated or was_registered(known[name], day)
        return name in since and since[name] <= day

    return [called and in_club(name) for called, name in zip(sent.called_registered, sent.names, strict=True)]


def _dated(game: Game, day: date, registered: Sequence[bool] | None) -> Game:
    """``game`` with its day and, where the regulation asks for it, with who was registered in the club by then."""
    changed: dict[str, object] = {} if game.played_on == day else {"played_on": day}
    if registered is not None:
        seats = zip(game.seats, registered, strict=True)
        changed["seats"] = tuple(seat.model_copy(update={"registered": yes}) for seat, yes in seats)
    return game.model_copy(update=changed) if changed else game


def _dated_facts(facts: dict[str, Any], day: date, registered: Sequence[bool] | None) -> dict[str, Any]:
    """The canonical facts of :func:`_dated`, members in their order."""
    if "played_on" not in facts:
        first = {"external_id": facts["external_id"]} if "external_id" in facts else {}
        facts = {**first, "played_on": day.isoformat(), **facts}
    if registered is not None:
        seats = zip(facts["seats"], registered, strict=True)
        facts = {**facts, "seats": [{**seat, "registered": yes} for seat, yes in seats]}
    return facts


def _examined(
    season: Season,
    sent: SentGame,
    game: Game,
    known: Mapping[str, Player],
    newcomers: Mapping[str, str],
    suggest: Suggest,
) -> Breakdown:
    found: list[Violation] = []
    names = sent.names
    try:
        breakdown = sent.system.examine(game, cast(Format, season.format))
    except RuleViolations as error:
        found += error.violations
    if len({known[name].id for name in names if name in known}) < len(names):
        found += _unknown(game, names, known, newcomers, suggest)
        found += _same_players(game, names, known)
    if sent.has_ids:
        found += misnamed(sent, known)
    found += _outside(season, game)
    if found:
        raise RuleViolations(found)
    return breakdown


def _unknown(
    game: Game, names: Sequence[str], known: Mapping[str, Player], newcomers: Mapping[str, str], suggest: Suggest
) -> Iterator[Violation]:
    for i, (seat, name) in enumerate(zip(game.seats, names, strict=True)):
        if name not in known and name not in newcomers and not is_id(name):
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
