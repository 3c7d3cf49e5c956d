"""``hidden_from``: games that do not exist for whoever has no key of the club (docs/api.md#hidden-games)."""

import re
from copy import deepcopy
from io import BytesIO
from typing import Any, Final
from zipfile import ZipFile

import pytest
from fastapi import FastAPI
from httpx import AsyncClient, Response

from app.services.audit import audit
from tests.http.archives import bring_in, new_club
from tests.http.club import bearer
from tests.http.conftest import RED_WON
from tests.http.desk import ask
from tests.http.kept_season import KeptSeason, make_season, problem, read

pytestmark = pytest.mark.anyio

SHOWN: Final = (("red", "qualifying", 1), ("black", "qualifying", 1), ("red", "semifinal", 2))
HIDDEN: Final = (("black", "final", 3), ("black", "final", 4))
CUTS: Final[tuple[dict[str, str], ...]] = ({"stage": "final"}, {"day": "2025-04-03"})
TABLES: Final = (
    "standings", "standings?revision=2", "standings?revision=4", "standings?as_of=2025-04-30", "standings?stage=final",
    "standings?stage=semifinal", "standings?order=points", "standings?rule_system=maffamily", "standings.csv",
    "standings.xlsx", "awards", "days", "standings?moves_since=2025-04-03", "lots", "standings/{player}",
    "standings/{player}?as_of=2025-04-04",
)  # fmt: skip
LISTS: Final = ("games", "games?from=2025-04-02", "games.ndjson", "games.csv", "games.xlsx")


def played(number: int, outcome: str, stage: str, day: int) -> dict[str, Any]:
    """A game with its first kill and a bonus; seats turn, so that players differ."""
    game = deepcopy(RED_WON) | {"outcome": outcome, "stage": stage, "played_on": f"2025-04-0{day}"}
    names = [seat["player"] for seat in game["seats"]]
    for at, seat in enumerate(game["seats"]):
        seat["player"] = names[(at + number) % 10]
    game["seats"][number]["bonus"] = 0.3
    return game | {"external_id": f"game {number}", "first_kill": {"seat": 1 + number}}


@pytest.fixture
async def cup(kept_app: FastAPI, kept_client: AsyncClient) -> KeptSeason:
    """Two days of a tournament, and a final on the third and fourth."""
    made = make_season(kept_app.state.database, kept_client, system="sport-percent", format="tournament")
    for number, told in enumerate((*SHOWN, *HIDDEN)):
        await made.kept(played(number, *told), "president")
    return made


async def without_final(cup: KeptSeason) -> KeptSeason:
    """A tournament of the same players in which the final was never played."""
    body = {"slug": "other", "name": "Spring", "rule_system": "sport-percent", "format": "tournament"}
    days = {"starts_on": "2025-03-01", "ends_on": "2025-05-31"}
    read(await ask(cup, "president", "POST", "/seasons", body | days), 201)
    other = cup._replace(slug="other")
    for number, told in enumerate(SHOWN):
        await other.kept(played(number, *told), "president")
    return other


async def hide(cup: KeptSeason, hidden_from: object) -> dict[str, Any]:
    return read(await ask(cup, "president", "PATCH", f"/seasons/{cup.slug}", {"hidden_from": hidden_from}))


async def get(cup: KeptSeason, path: str, role: str = "anonymous", **headers: str) -> Response:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    carried = bearer(cup.secrets[role]) if role in cup.secrets else {}
    answer = await cup.client.get(f"/v1/clubs/{cup.club}/seasons/{cup.slug}/{path}", headers=carried | sent)
    assert answer.status_code in {200, 304}, answer.text
    return answer


async def player_of(cup: KeptSeason) -> str:
    listed = read(await ask(cup, "president", "GET", "/players?nickname=P1"))["items"]
    return str(listed[0]["id"])


def plain(answer: Response) -> str:
    """The body without what must differ: revisions, moments, and ids of games."""
    if "spreadsheet" in answer.headers["content-type"]:
        with ZipFile(BytesIO(answer.content)) as book:
            text = "".join(book.read(name).decode() for name in sorted(book.namelist()) if "sheet" in name)
    else:
        text = answer.text
    for pattern in (r'"revision":\d+', r'"(created|updated)_at":"[^"]*"', "g_[0-9a-z]+", '"etag":"[^,]*"'):
        text = re.sub(pattern, "", text)
    return text.replace("/seasons/other", "/seasons/spring").replace('"other"', '"spring"')


@pytest.mark.parametrize("hidden_from", CUTS, ids=["stage", "day"])
@pytest.mark.parametrize("first", ["anonymous", "judge"])
async def test_without_a_key_the_season_is_as_if_the_games_had_never_been(
    cup: KeptSeason, hidden_from: dict[str, str], first: str
) -> None:
    """Whoever asks first, what is kept ready for one is not given to the other."""
    player = await player_of(cup)
    paths = [path.format(player=player) for path in (*TABLES, *LISTS)]
    all_of_it = {path: plain(await get(cup, path, "judge")) for path in paths}
    assert (await hide(cup, hidden_from))["hidden_from"] == hidden_from
    other = await without_final(cup)
    if first == "judge":
        assert {path: plain(await get(cup, path, "judge")) for path in paths} == all_of_it
    for path in paths:
        answer = await get(cup, path.replace("revision=4", "revision=6"))
        expected = await get(other, path.replace("revision=4", "revision=3"))
        assert plain(answer) == plain(expected), path
    assert {path: plain(await get(cup, path, "judge")) for path in paths} == all_of_it
    secret = await new_club(cup.client, "kyiv")
    stranger = cup._replace(secrets={"judge": secret})
    assert plain(await get(stranger, "standings", "judge")) == plain(await get(other, "standings"))


async def test_hidden_games_are_not_found(cup: KeptSeason) -> None:
    listed = {game["external_id"]: game["id"] for game in read(await get(cup, "games", "judge"))["items"]}
    await hide(cup, {"stage": "final"})
    for name, found in (("game 2", 200), ("game 3", 404)):
        for below in ("", "/history"):
            path = f"/seasons/spring/games/{listed[name]}{below}"
            assert (await ask(cup, "anonymous", "GET", path)).status_code == found
            assert (await ask(cup, "reader", "GET", path)).status_code == 200


async def test_both_views_have_validators_of_their_own_and_caches_keep_them_apart(cup: KeptSeason) -> None:
    before = await get(cup, "standings")
    assert "Authorization" not in before.headers["vary"]
    await hide(cup, {"stage": "final"})
    shown, whole = await get(cup, "standings"), await get(cup, "standings", "reader")
    assert len({before.headers["etag"], shown.headers["etag"], whole.headers["etag"]}) == 3
    assert whole.headers["cache-control"] == "private, no-cache"
    assert "Authorization" in whole.headers["vary"]
    assert (await get(cup, "standings", if_none_match=whole.headers["etag"])).status_code == 200
    assert (await get(cup, "standings", if_none_match=shown.headers["etag"])).status_code == 304
    assert (await get(cup, "standings", "reader", if_none_match=whole.headers["etag"])).status_code == 304
    await hide(cup, None)
    assert plain(await get(cup, "standings")) == plain(whole)


async def test_a_game_that_is_hidden_or_shown_by_a_correction_leaves_or_joins_the_table(cup: KeptSeason) -> None:
    await hide(cup, {"stage": "final"})
    assert read(await get(cup, "standings"))["games"] == 3
    (moved,) = [game for game in read(await get(cup, "games", "judge"))["items"] if game["external_id"] == "game 0"]
    final = played(0, "red", "final", 1)
    kept = read(await cup.correct(moved, final, "president"))
    assert read(await get(cup, "standings"))["games"] == 2
    assert (await ask(cup, "anonymous", "GET", f"/seasons/spring/games/{moved['id']}")).status_code == 404
    read(await cup.correct(kept, played(0, "red", "semifinal", 1), "president"))
    assert read(await get(cup, "standings"))["games"] == 3
    history = read(await get(cup, f"games/{moved['id']}/history"))["items"]
    assert [one["version"] for one in history] == [1, 3]


async def test_a_closed_season_hides_and_shows_its_final(cup: KeptSeason) -> None:
    read(await ask(cup, "president", "POST", "/seasons/spring/close?lots=shared"))
    frozen = plain(await get(cup, "standings"))
    other = await without_final(cup)
    await hide(cup, {"stage": "final"})
    assert plain(await get(cup, "standings.csv")) == plain(await get(other, "standings.csv"))
    assert read(await get(cup, "awards"))["awards"] == read(await get(other, "awards"))["awards"]
    assert plain(await get(cup, "standings", "reader")) == frozen
    refused = await ask(cup, "president", "PATCH", "/seasons/spring", {"hidden_from": None, "name": "Cup"})
    assert problem(refused) == (409, "conflict", "season_closed")
    await hide(cup, None)
    assert plain(await get(cup, "standings")) == frozen
    assert list(audit(cup.database)) == []


async def test_awards_of_a_hidden_final_are_not_shown_at_the_registration_of_a_cup(cup: KeptSeason) -> None:
    body = {"slug": "next", "name": "Next", "rule_system": "sport-percent", "format": "tournament"}
    read(await ask(cup, "president", "POST", "/seasons", body | {"awards_from": "spring"}), 201)
    other = await without_final(cup)
    read(await ask(cup, "president", "POST", "/seasons", body | {"slug": "last", "awards_from": "other"}), 201)
    await hide(cup, {"stage": "final"})
    theirs = [read(await get(cup._replace(slug=slug), "entries")) for slug in ("next", "last")]
    assert theirs[0]["not_entered"] == theirs[1]["not_entered"]
    assert (await get(other, "awards")).status_code == 200


async def test_lots_that_order_only_the_whole_table_are_not_listed(kept_app: FastAPI, kept_client: AsyncClient) -> None:
    """Six citizens are equal after the first game; the hidden one sets P1 and P2 apart."""
    cup = make_season(kept_app.state.database, kept_client, system="sport-percent", format="tournament")
    await cup.kept(RED_WON | {"stage": "qualifying", "played_on": "2025-04-01"}, "president")
    final = deepcopy(RED_WON) | {"stage": "final", "played_on": "2025-04-02"}
    final["seats"][0]["bonus"] = final["seats"][1]["bonus"] = 0.3
    await cup.kept(final, "president")
    (tie, *_) = read(await get(cup, "standings", "president"))["ties"]
    assert len(tie["players"]) == 2
    body = {"group": tie["players"], "drawn": tie["players"]}
    read(await ask(cup, "president", "POST", "/seasons/spring/lots", body), 201)
    assert len(read(await get(cup, "lots"))["items"]) == 1
    await hide(cup, {"stage": "final"})
    assert read(await get(cup, "lots"))["items"] == []
    assert len(read(await get(cup, "lots", "reader"))["items"]) == 1


@pytest.mark.parametrize(
    "hidden_from, pointer",
    [
        ({}, "/hidden_from"),
        ({"stage": "final", "day": "2025-04-03"}, "/hidden_from"),
        ({"stage": "third"}, "/hidden_from/stage"),
        ({"day": "yesterday"}, "/hidden_from/day"),
        ("final", "/hidden_from"),
    ],
)
async def test_what_is_no_stage_or_day_is_refused(cup: KeptSeason, hidden_from: object, pointer: str) -> None:
    answer = await ask(cup, "president", "PATCH", "/seasons/spring", {"hidden_from": hidden_from})
    assert answer.status_code == 422
    assert [found["pointer"] for found in answer.json()["violations"]] == [pointer]
    assert read(await get(cup, "standings"))["games"] == 5


async def test_only_the_president_hides_and_a_season_has_no_stages(spring: KeptSeason) -> None:
    answer = await ask(spring, "president", "PATCH", "/seasons/spring", {"hidden_from": {"stage": "final"}})
    assert [found["pointer"] for found in answer.json()["violations"]] == ["/hidden_from/stage"]
    answer = await ask(spring, "chief_judge", "PATCH", "/seasons/spring", {"hidden_from": {"day": "2025-04-03"}})
    assert answer.status_code == 403
    changed = await hide(spring, {"day": "2025-04-03"})
    assert (changed["revision"], changed["hidden_from"]) == (1, {"day": "2025-04-03"})
    (change,) = [
        one for one in read(await get(spring, "changes", "president"))["items"] if one["action"] == "season_changed"
    ]
    assert change["detail"] == {"hidden_from": {"day": "2025-04-03", "stage": None}}


async def test_an_archive_carries_what_is_hidden(cup: KeptSeason) -> None:
    await hide(cup, {"stage": "final"})
    taken = await ask(cup, "president", "GET", "/seasons/spring/archive.zip")
    secret = await new_club(cup.client, "kyiv")
    made = read(await bring_in(cup.client, secret, taken.content, "", "kyiv"), 201)
    assert made["season"]["hidden_from"] == {"stage": "final"}
    there = await cup.client.get("/v1/clubs/kyiv/seasons/spring/standings")
    assert there.json()["games"] == 3
    whole = await cup.client.get("/v1/clubs/kyiv/seasons/spring/standings", headers=bearer(secret))
    assert whole.json()["games"] == 5
