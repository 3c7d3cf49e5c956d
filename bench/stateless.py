"""Scoring without storage: over HTTP, the core alone, and the table of a long season."""

import gc
import time
from collections.abc import Callable, Iterator
from typing import Final

from app.schemas.standings.standings import StandingsIn, standings_wire
from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.rule_system import RuleSystem
from app.scoring.systems import newest_systems
from app.services.standings.stateless import read_games, tally_games
from app.web.render import render
from bench import games
from bench.load import Request, serving
from bench.verdict import Verdict

ROUNDS: Final = 11
SECONDS: Final = 0.7
SEASON: Final = 5_000
PLAYERS: Final = 100


def over_http() -> Iterator[Verdict]:
    """What validating costs beside fixed bytes, and what scoring costs beside validating."""
    with serving() as server:
        for system in newest_systems():
            game = games.body(games.season(system, 1, PLAYERS, seed=7)[0])
            fixed = Request("POST", "/bench/fixed", game)
            echo = Request("POST", "/bench/echo", game)
            score = Request("POST", f"/v1/rule-systems/{system.id}/score", game)
            for request in (fixed, echo, score):
                server.rate([request], SECONDS)
            rounds = [[server.rate([request], SECONDS) for request in (fixed, echo, score)] for _ in range(ROUNDS)]
            floors, echoes, scores = zip(*rounds, strict=True)
            yield Verdict(f"echo a game of {system.id}", echoes, "fixed bytes", floors, "/s", 0.5, at_least=True)
            yield Verdict(f"score a game of {system.id}", scores, "echo it", echoes, "/s", 0.6, at_least=True)
        print(f"(the client took {server.client_share:.0%} of a core)")


def core() -> Iterator[Verdict]:
    """From a parsed game to violations, lines and approvals, beside parsing and validating it."""
    for system in newest_systems():
        bodies = [games.body(game) for game in games.season(system, 200, PLAYERS)]
        parsed = [games.read(body) for body in bodies]

        def examine(system: RuleSystem = system, parsed: list[Game] = parsed) -> None:
            for game in parsed:
                breakdown = system.examine(game)
                _ = breakdown.seats, breakdown.approvals

        def parse(bodies: list[bytes] = bodies) -> None:
            for body in bodies:
                games.read(body)

        mine, floor = _side_by_side(examine, parse, times=3)
        scale = 1000 / len(bodies)
        yield Verdict(
            f"core: a game of {system.id}",
            [milliseconds * scale for milliseconds in mine],
            "parse and validate it",
            [milliseconds * scale for milliseconds in floor],
            "µs",
            2.5,
            at_least=False,
        )


def standings() -> Iterator[Verdict]:
    """The table of a season that is sent along, parsing included, beside parsing and validating it."""
    for system in newest_systems():
        body = render({"format": "season", "games": games.season(system, SEASON, PLAYERS)})

        def rank(system: RuleSystem = system, body: bytes = body) -> None:
            asked = StandingsIn.model_validate(loads(body))
            tallied = tally_games(system, read_games(asked.games, []), asked.format)
            assert not tallied.breaches
            made = system.rank(tallied.tallies, asked.format, asked.order, asked.drawn())
            render(standings_wire(system, made, tallied.nicknames, "en"))

        def parse(body: bytes = body) -> None:
            for _ in read_games(StandingsIn.model_validate(loads(body)).games, []):
                pass

        mine, floor = _side_by_side(rank, parse, times=1)
        name = f"standings: {SEASON:,} games of {system.id}"
        yield Verdict(name, mine, "parse and validate them", floor, "ms", 2.5, at_least=False)


def _side_by_side(
    measured: Callable[[], None], floor: Callable[[], None], times: int
) -> tuple[list[float], list[float]]:
    """Milliseconds of the processor that each takes, round by round."""
    measured()
    floor()
    rounds: tuple[list[float], list[float]] = [], []
    for _ in range(ROUNDS):
        for act, taken in zip((measured, floor), rounds, strict=True):
            gc.collect()
            started = time.process_time()
            for _ in range(times):
                act()
            taken.append((time.process_time() - started) * 1000 / times)
    return rounds
