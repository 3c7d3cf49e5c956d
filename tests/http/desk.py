"""What is asked about a season's players and tables beside its games."""

from typing import Any

from httpx import Response

from tests.http.kept_season import KeptSeason, read


async def ask(spring: KeptSeason, role: str, method: str, path: str, body: object = None, **headers: str) -> Response:
    """Ask for a path below the club's."""
    carried = {"authorization": f"Bearer {spring.secrets[role]}"} if role in spring.secrets else {}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await spring.client.request(
        method, f"/v1/clubs/{spring.club}{path}", json=body, headers={**carried, **named}
    )


async def player(spring: KeptSeason, nickname: str) -> dict[str, Any]:
    """The player whom a nickname means."""
    answer = await ask(spring, "reader", "GET", f"/players?nickname={nickname}")
    (found,) = read(answer)["items"]
    one: dict[str, Any] = found
    return one


async def newcomer(spring: KeptSeason, nickname: str, *, registered: bool = True) -> dict[str, Any]:
    body = {"nickname": nickname, "registered": registered}
    return read(await ask(spring, "judge", "POST", "/players", body), 201)


async def merge(spring: KeptSeason, loser: dict[str, Any], survivor: dict[str, Any]) -> Response:
    return await ask(spring, "president", "POST", f"/players/{loser['id']}/merge", {"into": survivor["id"]})


async def table(spring: KeptSeason, query: str = "") -> dict[str, Any]:
    answer = await ask(spring, "anonymous", "GET", f"/seasons/{spring.slug}/standings{query}")
    return read(answer)


def row_of(table: dict[str, Any], one: dict[str, Any]) -> dict[str, Any] | None:
    return next((row for row in table["rows"] if row["player"]["id"] == one["id"]), None)
