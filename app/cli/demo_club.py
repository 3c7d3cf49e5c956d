"""A club to look at: players, a season under one regulation, a tournament under another."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from random import Random
from typing import Any, Final, NamedTuple

from app.repositories.database import Database
from app.scoring.game import Game
from app.services.access import Caller
from app.services.clubs import clubs
from app.services.files.import_step import ImportOptions
from app.services.files.importing import Import
from app.services.seasons import seasons
from app.services.seasons.seasons import NewSeason, RequestedRules
from app.sheets import ReadGame

NICKNAMES: Final = (
    "Ада", "Барон", "Вега", "Граф", "Дельта", "Ёж", "Жасмин", "Зорро", "Ирис", "Кот",
    "Лис", "Мадам Ли", "Нео", "Олд", "Пуля", "Рысь", "Сова", "Тень", "Умка", "Феникс",
)  # fmt: skip
SEASON: Final = "season"
CUP: Final = "cup"

_ROLES: Final = ["citizen"] * 6 + ["sheriff", "mafia", "mafia", "don"]
_BLACK: Final = frozenset({"mafia", "don"})
_EVENINGS: Final = 12
_STAGES: Final = ("qualifying",) * 12 + ("semifinal",) * 4 + ("final",) * 2


class DemoClub(NamedTuple):
    """The demo club."""

    club: str
    secret: str
    """Of its president's key."""
    games: int


def create_demo(database: Database, *, slug: str, now: datetime, seed: int = 1) -> DemoClub:
    """Create a club with a season of some weeks up to ``now`` and a tournament on the last day.

    Raises:
        Conflict: ``slug_taken``.
    """
    chance = Random(seed)  # noqa: S311 - to look at, not to guess at
    today = now.date()
    admin = Caller(None, None, None, "admin", "demo")
    with database.write() as tx:
        created = clubs.create(tx, admin, slug=slug, name="DemoClub", timezone="UTC", now=now)
        key = created.issued.key
        president = Caller(key.id, key.public_id, key.club_id, key.role, key.name)
        first = today - timedelta(weeks=_EVENINGS)
        for new in (
            NewSeason(SEASON, SEASON.title(), RequestedRules("maffamily"), "season", first, today),
            NewSeason(CUP, CUP.title(), RequestedRules("sport-percent"), "tournament", today, today),
        ):
            seasons.create(tx, president, slug, new, now)
    games = _import(database, president, slug, SEASON, now, _season(chance, first))
    games += _import(database, president, slug, CUP, now, _cup(chance, today))
    return DemoClub(slug, created.issued.secret, games)


def _import(
    database: Database, president: Caller, club: str, season: str, now: datetime, wires: Sequence[dict[str, Any]]
) -> int:
    reads = [ReadGame(line, Game.read(wire)) for line, wire in enumerate(wires, start=1)]
    job = Import(
        database, lambda _: president, lambda: now, club, season, ImportOptions(timedelta(), create_players=True)
    )
    return sum(taken.result == "created" for taken in job.by_batches([reads]))


def _season(chance: Random, first: date) -> list[dict[str, Any]]:
    return [
        {
            **_game(chance, chance.sample(NICKNAMES, 10), most_bonus=1),
            "external_id": f"{first + timedelta(weeks=week)}/{table}/{number}",
            "played_on": str(first + timedelta(weeks=week)),
            "table": table,
            "number": number,
        }
        for week in range(_EVENINGS)
        for table in (1, 2)
        for number in (1, 2, 3)
    ]


def _cup(chance: Random, day: date) -> list[dict[str, Any]]:
    wires = []
    finalists: list[str] = chance.sample(NICKNAMES, 10)
    for number, stage in enumerate(_STAGES, start=1):
        at_table = finalists if stage == "final" else chance.sample(NICKNAMES, 10)
        wires.append(
            {
                **_game(chance, chance.sample(at_table, 10), most_bonus=2),
                "external_id": f"cup/{number}",
                "played_on": str(day),
                "number": number,
                "stage": stage,
            }
        )
    return wires


def _game(chance: Random, players: Sequence[str], *, most_bonus: int) -> dict[str, Any]:
    roles = chance.sample(_ROLES, 10)
    seats: list[dict[str, Any]] = [
        {"seat": seat, "player": player, "role": role}
        for seat, (player, role) in enumerate(zip(players, roles, strict=True), start=1)
    ]
    outcome = chance.choices(("red", "black", "draw"), (48, 49, 3))[0]
    winners = [seat for seat in seats if (seat["role"] in _BLACK) == (outcome == "black")]
    losers = [seat for seat in seats if seat not in winners]
    if outcome != "draw":
        for seat in chance.sample(winners, most_bonus):
            seat |= {"bonus": "0.4", "bonus_note": "сильная игра"}
        if chance.random() < 0.15:
            chance.choice(losers)["removed"] = True
    killed = chance.choice([seat["seat"] for seat in seats if seat["role"] not in _BLACK])
    others = [number for number in range(1, 11) if number != killed]
    return {"outcome": outcome, "seats": seats, "first_kill": {"seat": killed, "best_move": chance.sample(others, 3)}}
