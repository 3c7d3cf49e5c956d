"""All that the service answers about a season, to be compared with what another service answers."""

from typing import Any

from httpx import Response

from tests.http.club import bearer
from tests.http.kept_season import KeptSeason, read

_LISTS = ("games", "approvals", "lots", "entries", "changes")
_FILES = ("games.ndjson", "games.csv", "standings.csv", "standings.csv?include=unpublished")


async def everything(season: KeptSeason) -> dict[str, Any]:
    """Every answer about the season, by what was asked for with the president's key, numbers exact."""
    told: dict[str, Any] = {}

    async def answer(path: str) -> Response:
        address = f"/v1/clubs/{season.club}/seasons/{season.slug}{path}"
        return await season.client.get(address, headers=bearer(season.secrets["president"]))

    async def ask(path: str) -> Any:
        told[path] = read(await answer(path))
        return told[path]

    async def ask_all(name: str) -> list[Any]:
        items: list[Any] = []
        cursor: str | None = ""
        while cursor is not None:  # it tells a row number
            page = read(await answer(f"/{name}?limit=200{cursor and f'&cursor={cursor}'}"))
            items += page.pop("items")
            cursor = page.pop("next_cursor")
            told[f"/{name}"] = {**page, "items": items}
        return items

    kept = await ask("")
    lists = {name: await ask_all(name) for name in _LISTS}
    # What a season brings with it, and not that it was brought.
    told["/changes"]["items"] = [change for change in lists["changes"] if change["action"] != "season_imported"]
    for game in lists["games"]:
        await ask(f"/games/{game['id']}")
        await ask(f"/games/{game['id']}/history")
    await ask("/awards")
    table = await ask("/standings?include=unpublished")
    for row in table["rows"]:
        await ask(f"/standings/{row['player']['id']}?include=unpublished")
    for revision in range(kept["revision"] + 1):
        await ask(f"/standings?revision={revision}")
    for day in sorted({told[f"/games/{game['id']}"]["game"]["played_on"] for game in lists["games"]}):
        await ask(f"/standings?as_of={day}")
    for file in _FILES:
        told[f"/{file}"] = (await answer(f"/{file}")).content
    return told
