"""What happened in counted games, added up: for one player, and for a season (docs/api.md#statistics)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

from app.repositories.database import Transaction
from app.repositories.games import game_facts, games, ledger
from app.repositories.games.games import SeatedPlayer
from app.repositories.games.hidden_games import HiddenGames
from app.scoring.exact_json import loads
from app.scoring.nickname import folded
from app.scoring.rule_system import RuleSystem
from app.scoring.rules.city import NightCheck, NightKill
from app.scoring.systems import find_system

FROM_GAMES: Final = 3
"""With fewer games together two players are not compared."""

_AT_ONCE: Final = 500
"""How many games' facts are in memory at once."""


class Score(NamedTuple):
    """How many games ended how, and the points that they gave."""

    games: int = 0
    wins: int = 0
    losses: int = 0
    draws: int = 0
    points: int = 0
    """Millionths."""

    def and_one(self, result: str, points: int) -> "Score":
        """With one game more."""
        return Score(
            self.games + 1,
            self.wins + (result == "won"),
            self.losses + (result == "lost"),
            self.draws + (result == "draw"),
            self.points + points,
        )


class Run(NamedTuple):
    """Games in a row, and the days of the first and the last of them."""

    games: int
    since: date
    until: date


class Together(NamedTuple):
    """Games with or against a player, by row number, and how many of them were won."""

    player: int
    games: int
    wins: int


class PlayerStatistics(NamedTuple):
    """What a player's counted games come to."""

    total: Score
    by_role: Mapping[str, Score]
    by_team: Mapping[str, Score]
    by_seat: Mapping[int, Score]
    by_judge: Mapping[str | None, Score]
    by_result: Mapping[str, Score]
    first_kills: Score
    best_moves: Mapping[int, int]
    """How many best moves named so many blacks."""
    checks: Mapping[str, int]
    """At night, by the team of the target."""
    shots: Mapping[str, int]
    runs: Mapping[str, Run]
    """The longest of wins and of losses, by result; the first of equal ones."""
    together: Sequence[Together]
    against: Sequence[Together]


class GameRecord(NamedTuple):
    """One counted game of a player."""

    day: date
    number: int
    """The seat's."""
    seat: ledger.Seat
    points: int
    facts: Mapping[str, Any]
    system: RuleSystem
    """That the game was written down under."""
    teams: Mapping[int, str]
    """By seat."""
    players: Sequence[SeatedPlayer]


def records_of(
    tx: Transaction, season_id: int, player_ids: Iterable[int], *, revision: int, hidden: HiddenGames | None
) -> list[GameRecord]:
    """A player's counted games in a season, in the order played; ``player_ids``: also those merged into him."""
    entries = [
        entry
        for player_id in player_ids
        for entry in ledger.of_player(tx, season_id, player_id, revision=revision, hidden=hidden)
        if entry.seat.registered
    ]
    entries.sort(key=lambda entry: (entry.played_on, entry.game_id))
    facts = game_facts.at(tx, [entry.game_id for entry in entries], revision)
    seated = games.seats(tx, [entry.game_id for entry in entries])
    records = []
    for entry in entries:
        kept = facts[entry.game_id]
        game, system = loads(kept.facts), find_system(kept.rule_system, kept.rule_version)
        players = seated[entry.game_id]
        records.append(
            GameRecord(
                entry.played_on, entry.number, entry.seat, entry.points, game, system, _teams(game, system), players
            )
        )
    return records


def statistics_of(records: Sequence[GameRecord]) -> PlayerStatistics:
    """What a player's games, in the order played, come to."""
    judges = _judges(record.facts.get("judge") for record in records)

    def by(key: Callable[[GameRecord], Hashable]) -> dict[Any, Score]:
        scores: dict[Any, Score] = defaultdict(Score)
        for record in records:
            scores[key(record)] = scores[key(record)].and_one(record.seat.result, record.points)
        return dict(scores)

    return PlayerStatistics(
        total=by(lambda _: None).get(None, Score()),
        by_role=by(lambda record: record.seat.role),
        by_team=by(lambda record: record.seat.team),
        by_seat=by(lambda record: record.number),
        by_judge=by(lambda record: judges.get(record.facts.get("judge"))),
        by_result=by(lambda record: record.seat.result),
        first_kills=by(lambda record: record.seat.first_kill).get(True, Score()),
        best_moves=Counter(
            hits
            for record in records
            if record.seat.first_kill and (hits := _hits(record.facts, record.teams)) is not None
        ),
        checks=_acts(records, NightCheck),
        shots=_acts(records, NightKill),
        runs={result: run for result in ("won", "lost") if (run := _longest(records, result)) is not None},
        together=_partners(records, same=True),
        against=_partners(records, same=False),
    )


class SeasonStatistics(NamedTuple):
    """What the counted games of a season come to."""

    games: int
    outcomes: Mapping[str, int]
    first_kills: Mapping[str, int]
    """By role."""
    best_moves: Mapping[int, int]
    by_judge: Mapping[str | None, Mapping[str, int]]
    """Outcomes of each judge's games."""
    by_day: Mapping[date, Mapping[str, int]]


def of_season(tx: Transaction, season_id: int, *, revision: int, hidden: HiddenGames | None) -> SeasonStatistics:
    """What the counted games of a season come to; takes time in proportion to their number."""
    opening = []
    first_kills: Counter[str] = Counter()
    for entry in ledger.in_force(tx, season_id, revision=revision, hidden=hidden):
        if entry.seat.opens:
            opening.append((entry.game_id, entry.played_on, entry.seat.outcome))
        if entry.seat.first_kill:
            first_kills[entry.seat.role] += 1
    best_moves: Counter[int] = Counter()
    judged: list[tuple[str | None, str]] = []
    for start in range(0, len(opening), _AT_ONCE):
        batch = opening[start : start + _AT_ONCE]
        facts = game_facts.at(tx, [game_id for game_id, _, _ in batch], revision)
        for game_id, _, outcome in batch:
            game = loads(facts[game_id].facts)
            judged.append((game.get("judge"), outcome))
            kept = facts[game_id]
            hits = _hits(game, _teams(game, find_system(kept.rule_system, kept.rule_version)))
            if hits is not None:
                best_moves[hits] += 1
    judges = _judges(judge for judge, _ in judged)
    return SeasonStatistics(
        games=len(opening),
        outcomes=Counter(outcome for _, _, outcome in opening),
        first_kills=first_kills,
        best_moves=best_moves,
        by_judge=_outcomes((judges.get(judge), outcome) for judge, outcome in judged),
        by_day=_outcomes((day, outcome) for _, day, outcome in opening),
    )


def _outcomes(pairs: Iterable[tuple[Any, str]]) -> dict[Any, Counter[str]]:
    counted: dict[Any, Counter[str]] = defaultdict(Counter)
    for key, outcome in pairs:
        counted[key][outcome] += 1
    return dict(counted)


def _acts(records: Iterable[GameRecord], kind: type[NightKill | NightCheck]) -> Counter[str]:
    """A player's acts of a kind, which follows from the role, by the team of the target."""
    return Counter(
        record.teams.get(act["target"], "")
        for record in records
        if record.seat.role in {rule.role for _, rule in record.system.game_rules if isinstance(rule, kind)}
        for act in record.facts.get("night_actions", ())
        if act["seat"] == record.number
    )


def _teams(game: Mapping[str, Any], system: RuleSystem) -> dict[int, str]:
    team_of = system.table.team_of
    return {seat["seat"]: team_of.get(seat["role"], "") for seat in game["seats"]}


def _hits(game: Mapping[str, Any], teams: Mapping[int, str]) -> int | None:
    """How many blacks the best move named; None: there was none."""
    kill = game.get("first_kill") or {}
    named = kill.get("best_move")
    return None if not named or kill.get("seat") is None else sum(teams.get(seat) == "black" for seat in named)


def _judges(written: Iterable[str | None]) -> dict[str | None, str | None]:
    """How each spelling of a judge's name is shown: as it was written first."""
    shown: dict[str, str] = {}
    return {name: None if name is None else shown.setdefault(folded(name), name) for name in dict.fromkeys(written)}


def _longest(records: Sequence[GameRecord], result: str) -> Run | None:
    longest: Run | None = None
    current: Run | None = None
    for record in records:
        if record.seat.result != result:
            current = None
            continue
        current = (
            Run(1, record.day, record.day) if current is None else Run(current.games + 1, current.since, record.day)
        )
        if longest is None or current.games > longest.games:
            longest = current
    return longest


def _partners(records: Sequence[GameRecord], *, same: bool) -> list[Together]:
    """With whom, or against whom, the player sat at least :data:`FROM_GAMES` times; the most games first."""
    met: Counter[int] = Counter()
    won: Counter[int] = Counter()
    for record in records:
        for other in record.players:
            if other.seat != record.number and (record.teams.get(other.seat) == record.seat.team) is same:
                met[other.player_id] += 1
                won[other.player_id] += record.seat.result == "won"
    often = [Together(player, games, won[player]) for player, games in met.items() if games >= FROM_GAMES]
    return sorted(often, key=lambda one: (-one.games, -one.wins, one.player))
