"""All that the service answers about a season, to be compared with what another service answers."""

from typing import Any

from tests.http.club import bearer
from tests.http.kept_season import KeptSeason, read

_LISTS = ("games", "approvals", "lots", "entries")


async def everything(season: KeptSeason) -> dict[str, Any]:
    """Every answer about the season, by what was asked for with the president's key, numbers exact."""
    told: dict[str, Any] = {}

    async def ask(path: str) -> Any:
        address = f"/v1/clubs/{season.club}/seasons/{season.slug}{path}"
        answer = await season.client.get(address, headers=bearer(season.secrets["president"]))
        told[path] = read(answer)
        return told[path]

    kept = await ask("")
    for name in _LISTS:
        cursor = ""
        while cursor is not None:
            cursor = (await ask(f"/{name}?limit=200{cursor and f'&cursor={cursor}'}"))["next_cursor"]
    for game in [game for path, answer in told.items() if path.startswith("/games") for game in answer["items"]]:
        await ask(f"/games/{game['id']}")
        await ask(f"/games/{game['id']}/history")
    await ask("/awards")
    table = await ask("/standings?include=unpublished")
    for row in table["rows"]:
        await ask(f"/standings/{row['player']['id']}")
    for revision in range(kept["revision"] + 1):
        await ask(f"/standings?revision={revision}")
    for day in sorted({game["game"]["played_on"] for path, game in told.items() if path.startswith("/games/g_")
                       and "history" not in path}):  # fmt: skip
        await ask(f"/standings?as_of={day}")
    return told
