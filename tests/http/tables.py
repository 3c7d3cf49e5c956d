"""Seasons with a few games that are worked out by hand, and requests about their tables."""

from copy import deepcopy
from decimal import Decimal
from typing import Any, Final

from httpx import Response

from tests.http.club import bearer
from tests.http.conftest import RED_WON
from tests.http.kept_season import KeptSeason, read

EVERY: Final = [f"P{number}" for number in (1, 10, *range(2, 10))]
"""The ten players as nicknames sort."""

FIRST: Final = RED_WON | {"played_on": "2025-03-14"}
"""Red won: P1 to P7 get 2 under maffamily."""

SECOND: Final = deepcopy(RED_WON) | {
    "played_on": "2025-03-20",
    "outcome": "black",
    "first_kill": {"seat": 7, "best_move": [8, 9, 1]},
}
SECOND["seats"][0]["penalties"] = ["broke_red_at_ten"]
SECOND["seats"][9]["bonus"] = 0.4
"""Black won: P8 and P9 get 2, the don P10 2.4, the sheriff P7 0.5 + 0.25, P1 -1."""

POINTS: Final = {
    **{f"P{n}": Decimal(2) for n in (2, 3, 4, 5, 6, 8, 9)},
    "P1": Decimal(1),
    "P7": Decimal("2.75"),
    "P10": Decimal("2.4"),
}
"""After both games, by hand. Everyone played two and won one, so a rating is the points squared over 4."""


async def ask(season: KeptSeason, path: str = "/standings", role: str = "anonymous", **headers: str) -> Response:
    """Ask for a path below the season with the key of a role."""
    carried = bearer(season.secrets[role]) if role in season.secrets else {}
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    address = f"/v1/clubs/{season.club}/seasons/{season.slug}{path}"
    return await season.client.get(address, headers={**carried, **headers})


async def table(season: KeptSeason, query: str = "", role: str = "anonymous") -> dict[str, Any]:
    """The table, its numbers exact."""
    return read(await ask(season, f"/standings{query}", role))


def places(table: dict[str, Any]) -> list[tuple[int | None, str]]:
    """Place and nickname, in the table's order."""
    return [(row["rank"], row["player"]["nickname"]) for row in table["rows"]]


def values(table: dict[str, Any], column: str) -> dict[str, Any]:
    """A column by nickname."""
    return {row["player"]["nickname"]: row["values"][column] for row in table["rows"]}


def id_of(table: dict[str, Any], nickname: str) -> str:
    """The id of a player of the table."""
    (found,) = [row["player"]["id"] for row in table["rows"] if row["player"]["nickname"] == nickname]
    return str(found)
