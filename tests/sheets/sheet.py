"""Small sheets, written by hand."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.scoring.game import Game
from app.scoring.rule_system import RuleSystem
from app.sheets import ReadGame, read_csv

HEADER = "game,seat,player,role,outcome"
ROLES = ("мирный", "мафия", "мирный", "дон", "мирный", "шериф", "мафия", "мирный", "мирный", "мирный")
CODES = {"мирный": "citizen", "мафия": "mafia", "дон": "don", "шериф": "sheriff"}


def csv(*rows: str, header: str = HEADER) -> bytes:
    return "\n".join((header, *rows)).encode()


def read(sheet: bytes | Iterable[bytes], system: RuleSystem | None = None) -> list[ReadGame]:
    return list(read_csv([sheet] if isinstance(sheet, bytes) else sheet, system))


def one_game(sheet: bytes) -> Game:
    """The one game of a sheet that has nothing wrong with it."""
    (found,) = read(sheet)
    assert [violation.message("en") for violation in found.violations] == []
    assert found.game is not None
    return found.game


def facts(sheet: bytes) -> dict[str, Any]:
    return one_game(sheet).canonical()


def faults(found: ReadGame) -> list[tuple[str, str]]:
    assert found.game is None
    return [(violation.code, violation.pointer) for violation in found.violations]


def seat_facts(columns: Mapping[str, str]) -> dict[str, Any]:
    """What one citizen's row says, with further columns, beyond seat, player and role."""
    header = ",".join((HEADER, *columns))
    cells = ",".join('"' + cell.replace('"', '""') + '"' for cell in columns.values())
    (seat,) = facts(csv(f"1,4,Ann,citizen,red,{cells}", header=header))["seats"]
    return {field: value for field, value in seat.items() if field not in ("seat", "player", "role")}


def game_facts(columns: Mapping[str, str]) -> dict[str, Any]:
    """What the row says of the game, beyond outcome and seats."""
    header = ",".join((HEADER, *columns))
    cells = ",".join('"' + cell.replace('"', '""') + '"' for cell in columns.values())
    return without_usual(facts(csv(f"1,4,Ann,citizen,red,{cells}", header=header)))


def without_usual(found: dict[str, Any]) -> dict[str, Any]:
    usual: dict[str, Any] = {"outcome": "red", "rated": True, "cancelled": False}
    return {field: value for field, value in found.items() if field != "seats" and usual.get(field, ...) != value}


def club_rows(game: str, *, outcome: str = "красные", cells: Mapping[int, Sequence[str]] = {}) -> list[list[str]]:
    """Ten rows of a game as a Russian club keeps them: game, seat, player, role, outcome, then ``cells``."""
    width = max(map(len, cells.values()), default=0)
    return [
        [game, str(seat), f"Игрок {seat}", role, outcome, *cells.get(seat, [""] * width)]
        for seat, role in enumerate(ROLES, start=1)
    ]
