"""Games as a league writes them down: seeded, so that every run measures the same."""

import json
from collections.abc import Sequence
from random import Random
from typing import Any, Final, TypeAlias
from zlib import crc32

from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.rule_system import RuleSystem
from app.web.render import render

Wire: TypeAlias = dict[str, Any]

_ROLES: Final = ["citizen"] * 6 + ["sheriff", "mafia", "mafia", "don"]
_BONUSES: Final = (("0.4", "0.3"), ("0.3", "0.35", "0.3"), ("0.3",), ())
"""What a judge gives winners in one game; within every club's limits."""


def season(system: RuleSystem, games: int, players: int, seed: int = 1) -> list[Wire]:
    """``games`` games of ten out of ``players`` that the system accepts."""
    random = Random(seed)
    return [_game(system, random, nicknames(players), number) for number in range(games)]


def nicknames(players: int) -> list[str]:
    """How so many players are called."""
    return [f"Игрок {number}" for number in range(1, players + 1)]


def written(lines: Sequence[tuple[object, ...]]) -> str:
    """Lines as a row of the ledger holds them."""
    return json.dumps(lines, separators=(",", ":"), ensure_ascii=False)


def body(game: Wire) -> bytes:
    """The game as a client sends it, without spaces."""
    return render(game)


def read(content: bytes) -> Game:
    """Parse and validate a game."""
    return Game.read(loads(content))


def traits(facts: str) -> tuple[int, ...]:
    """As many numbers as a game is recognised by, made of anything."""
    anything = crc32(facts.encode())
    return tuple(anything << bits for bits in range(4))


def _game(system: RuleSystem, random: Random, names: list[str], number: int) -> Wire:
    roles = random.sample(_ROLES, 10)
    seats: list[Wire] = [
        {"seat": seat, "player": player, "role": role}
        for seat, (player, role) in enumerate(zip(random.sample(names, 10), roles, strict=True), 1)
    ]
    outcome = random.choices(("red", "black", "draw"), (45, 50, 5))[0]
    killed = random.randint(1, 10)
    game: Wire = {
        "external_id": f"bench/{number}",
        "played_on": f"2025-{1 + number * 12 // 150_000 % 12:02}-{1 + number // 12 % 28:02}",
        "table": 1 + number % 3,
        "number": 1 + number % 12,
        "outcome": outcome,
        "seats": seats,
        "first_kill": {"seat": killed, "best_move": random.sample(range(1, 11), 3)},
    }
    winners = [seat for seat in seats if (seat["role"] in {"mafia", "don"}) == (outcome == "black")]
    if "bonus" in system.reads and outcome != "draw":
        for seat, bonus in zip(random.sample(winners, 3), random.choice(_BONUSES), strict=False):
            seat |= {"bonus": bonus, "bonus_note": "за игру"}
    if random.random() < 0.1:
        random.choice(seats)["removed"] = True
    if "days_lived" in system.reads:
        for seat in seats:
            seat["days_lived"] = random.randint(0, 5)
        if outcome == "draw":
            game["draw_makers"] = []
    return game
