"""Whatever is done with a season by its routes is sound at every step, and no row of its past can be another.

An archive of it is sound wherever it is taken in.

The histories are drawn by seeds: games come, alone and in files, are corrected, voided, restored, approved and
rejected; players are renamed and merged, also while the season is closed; its rules change there and back; lots are
drawn.
"""

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from httpx import Response
from sqlalchemy import Row, text

from app.services.audit import audit, audit_season
from tests.http.club import ADMIN, bearer, kept_app, kept_client  # noqa: F401  found by name
from tests.http.conftest import RED_WON
from tests.http.desk import ask, newcomer, table
from tests.http.importing import ndjson, post
from tests.http.kept_season import KeptSeason, read, spring  # noqa: F401  found by name
from tests.services.audit.forging import copied, forged

pytestmark = pytest.mark.anyio

STEPS = 80
FORGED = 40


class Walk:
    """Steps of one history; in seat n sits Pn or a twin of his, so that they can be merged."""

    def __init__(self, season: KeptSeason, random: Random) -> None:
        self.season = season
        self.random = random
        self.twins: dict[int, list[str]] = {seat: [f"P{seat}"] for seat in range(1, 11)}
        self.made = 0
        self.done: list[str] = []

    async def step(self) -> None:
        steps = {
            self.submit: 6, self.bring: 2, self.correct: 5, self.void: 3, self.restore: 4, self.decide: 5,
            self.enrol: 5, self.merge: 7, self.rename: 1, self.follow: 2, self.close: 2, self.reopen: 3, self.draw: 3,
        }  # fmt: skip
        chosen = self.random.choices(list(steps), list(steps.values()))[0]
        answer = await chosen()
        if answer is not None:
            assert answer.status_code < 500, answer.text
            if answer.status_code < 300:
                self.done.append(chosen.__name__)

    def game(self) -> dict[str, Any]:
        game = deepcopy(RED_WON) | {"played_on": f"2025-03-{self.random.randint(10, 20)}"}
        game["outcome"] = self.random.choice(("red", "black", "draw"))
        for seat in game["seats"]:
            seat["player"] = self.random.choice(self.twins[seat["seat"]])
        if game["outcome"] != "draw":
            winner = self.random.randint(1, 7) if game["outcome"] == "red" else self.random.randint(8, 10)
            game["seats"][winner - 1]["bonus"] = self.random.choice((None, 0.3, 0.6, 0.7))
        game["rated"] = self.random.random() > 0.1
        if self.random.random() < 0.1:
            game |= {"cancelled": True, "outcome": None}
            game["seats"] = deepcopy(RED_WON["seats"])
        return game

    async def submit(self) -> Response:
        return await self.season.submit(self.game(), self.random.choice(("judge", "chief_judge", "president")))

    async def bring(self) -> Response:
        ids = self.random.sample(range(6), 3)
        games = [self.game() | {"external_id": f"e{number}"} for number in ids]
        query = self.random.choice(("", "?on_conflict=correct"))
        return await post(self.season, ndjson(games), query, role=self.random.choice(("judge", "president")))

    async def one(self, status: str = "") -> dict[str, Any] | None:
        listed = read(await self.season.ask("reader", "GET", f"?limit=100{status}"))["items"]
        return await self.season.get(self.random.choice(listed)["id"]) if listed else None

    async def correct(self) -> Response | None:
        one = await self.one()
        return None if one is None else await self.season.correct(one, self.game(), "president", "?reason=again")

    async def void(self) -> Response | None:
        one = await self.one("&status=counted")
        return None if one is None else await self.season.ask("president", "DELETE", f"/{one['id']}")

    async def restore(self) -> Response | None:
        one = await self.one("&status=voided")
        return None if one is None else await self.season.ask("president", "POST", f"/{one['id']}/restore")

    async def decide(self) -> Response | None:
        one = await self.one("&status=pending")
        if one is None:
            return None
        body = {"decision": self.random.choice(("approve", "approve", "reject")), "note": "so"}
        role = self.random.choice(("president", "chief_judge"))
        return await self.season.ask(role, "POST", f"/{one['id']}/approval", body, {"if-match": one["etag"]})

    async def enrol(self) -> None:
        self.made += 1
        seat, name = self.random.randint(1, 10), f"N{self.made}"
        await newcomer(self.season, name)
        self.twins[seat].append(name)
        self.done.append("enrol")

    async def merge(self) -> Response | None:
        seats = [seat for seat, twins in self.twins.items() if len(twins) > 1]
        if not seats:
            return None
        twins = self.twins[self.random.choice(seats)]
        loser, survivor = self.random.sample(twins, 2)
        one, other = [await self.player(name) for name in (loser, survivor)]
        answer = await ask(self.season, "president", "POST", f"/players/{one}/merge", {"into": other})
        if answer.status_code == 200:
            twins.remove(loser)
        return answer

    async def player(self, name: str) -> str:
        (found,) = read(await ask(self.season, "reader", "GET", f"/players?nickname={name}"))["items"]
        return str(found["id"])

    async def rename(self) -> Response:
        twins = self.twins[self.random.randint(1, 10)]
        before = twins.pop(self.random.randrange(len(twins)))
        self.made += 1
        twins.append(f"R{self.made}")
        path = f"/players/{await self.player(before)}"
        return await ask(self.season, "president", "PATCH", path, {"nickname": twins[-1]})

    async def follow(self) -> Response:
        body = {"rule_system": self.random.choice(("maffamily", "sport-percent"))}
        return await ask(self.season, "president", "PATCH", f"/seasons/{self.season.slug}?reason=why", body)

    async def close(self) -> Response:
        return await ask(self.season, "president", "POST", f"/seasons/{self.season.slug}/close?lots=shared")

    async def reopen(self) -> Response:
        return await ask(self.season, "president", "POST", f"/seasons/{self.season.slug}/reopen?reason=why")

    async def draw(self) -> Response | None:
        ties = [tie for tie in (await table(self.season))["ties"] if tie["lot"] == "needed"]
        if not ties:
            return None
        group = self.random.choice(ties)["players"]
        how = self.random.choice(({"draw": True}, {"drawn": self.random.sample(group, len(group))}))
        return await ask(
            self.season, "chief_judge", "POST", f"/seasons/{self.season.slug}/lots", {"group": group, **how}
        )


FIELDS = {
    "opens": "NOT opens",
    "player_id": "(SELECT min(id) FROM players WHERE id <> player_id)",
    "registered": "NOT registered",
    "role": "'maniac'",
    "team": "'maniac'",
    "result": "CASE result WHEN 'won' THEN 'lost' ELSE 'won' END",
    "outcome": "CASE outcome WHEN 'red' THEN 'black' ELSE 'red' END",
    "stage": "'final'",
    "first_kill": "NOT first_kill",
    "played_on": "'2025-03-09'",
    "points": "points + 1",
    "lines": """'[["1","win","main",1]]'""",
    "revision": "revision + 10000",
}
ROW = "season_id = :season_id AND revision = :revision AND game_id = :game_id AND seat = :seat AND sign = :sign"
WHOLE = "season_id = :season_id AND revision = :revision AND game_id = :game_id AND sign = :sign"


def forgeries(row: Row[Any]) -> Iterator[tuple[str, list[str]]]:
    """What may be done to a row of the ledger that leaves another past behind."""
    for name, value in FIELDS.items():
        yield name, [f"UPDATE ledger SET {name} = {value} WHERE {ROW}"]
    yield "a row less", [f"DELETE FROM ledger WHERE {ROW}"]
    yield "an entry less", [f"DELETE FROM ledger WHERE {WHOLE}"]
    for before, after in (("sign", "-sign"), ("-sign", "sign")):
        again = [copied(WHOLE, row.revision + later, sign) for later, sign in ((100_001, before), (100_002, after))]
        yield "an entry that was in, or out, for a time", again


@pytest.mark.parametrize("seed", [0, 6, 21])
async def test_a_history_is_sound_at_every_step_and_no_row_of_it_can_be_another(
    spring: KeptSeason,  # noqa: F811
    seed: int,
) -> None:
    walk = Walk(spring, Random(seed))
    for _ in range(STEPS):
        await walk.step()
        assert list(audit(spring.database)) == [], walk.done
    with spring.database.read() as tx:
        rows = tx.execute(text("SELECT * FROM ledger ORDER BY game_id, revision, sign, seat")).all()
    assert rows
    # Without what was done in the club, as a season comes from elsewhere.
    with forged(spring, "DELETE FROM changes WHERE season_id IS NULL") as (tx, season):
        assert list(audit_season(tx, season)) == []
    for row in walk.random.sample(list(rows), min(FORGED, len(rows))):
        what, statements = walk.random.choice(list(forgeries(row)))
        with forged(spring, *statements, **row._mapping) as (tx, season):
            assert list(audit_season(tx, season)), (what, row)
    archive = (await ask(spring, "president", "GET", "/seasons/spring/archive.zip")).content
    other = read(await spring.client.post("/v1/clubs", json={"slug": "kyiv", "name": "K"}, headers=bearer(ADMIN)), 201)
    for club, secret, slug in (
        ("kyiv", other["key"]["secret"], "spring"),
        ("kyiv", other["key"]["secret"], "again"),
        (spring.club, spring.secrets["president"], "again"),
    ):
        headers = {**bearer(secret), "content-type": "application/zip"}
        path = f"/v1/clubs/{club}/archives?slug={slug}"
        read(await spring.client.post(path, content=archive, headers=headers), 201)
        assert list(audit(spring.database)) == [], (club, slug)
