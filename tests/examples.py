"""The answers that the description of the API shows: asked for here, each of them, so that none is made up.

``python -m tests.examples`` writes ``openapi/answers.json`` anew, and so does ``make openapi``; a test compares.
"""

import asyncio
import base64
import json
import re
import sys
import tempfile
from contextlib import closing
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Final
from unittest import mock

from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response
from pydantic import SecretStr

from app.config import Settings
from app.main import create_app
from app.openapi import ANSWERED
from app.repositories.database import Database
from app.repositories.schema import bring_up_to_date
from app.schemas.common import examples
from app.web import bodies
from app.web.bodies import BodyTooSlow
from app.web.failed_logins import FAILURES_A_MINUTE

ADMIN: Final = "the-admin-of-the-examples"
CLUB: Final = "/v1/clubs/maffamily"
SPRING: Final = f"{CLUB}/seasons/2025-spring"
CUP: Final = f"{CLUB}/seasons/2025-cup"


class Story:
    """A club's first evening, told over HTTP; what is answered is kept by the name of its schema or problem."""

    def __init__(self, app: FastAPI, client: AsyncClient) -> None:
        self.app = app
        self.client = client
        self.answers: dict[str, Any] = {}
        self.key: str | None = None

    def example(self, operation_id: str, name: str) -> Any:
        """The body that the description of an operation shows."""
        operations = [each for path in self.app.openapi()["paths"].values() for each in path.values()]
        content = next(each for each in operations if each["operationId"] == operation_id)["requestBody"]["content"]
        return content["application/json"]["examples"][name]["value"]

    async def ask(self, method: str, path: str, json: Any = None, **more: Any) -> Response:
        """Ask with the key in hand."""
        headers = {"authorization": f"Bearer {self.key}"} if self.key else {}
        return await self.client.request(
            method, path, json=json, **{**more, "headers": {**headers, **more.get("headers", {})}}
        )

    async def shown(self, name: str, method: str, path: str, json: Any = None, **more: Any) -> Any:
        """Ask for what is shown as ``name``."""
        answer = await self.ask(method, path, json, **more)
        assert answer.is_success, answer.text
        self.answers[name] = answer.json()
        return answer.json()

    async def refused(self, slug: str, method: str, path: str, json: Any = None, **more: Any) -> None:
        """Ask for what ends in this type of problem."""
        answer = await self.ask(method, path, json, **more)
        assert answer.json()["type"] == f"/problems/{slug}", answer.text
        self.answers[slug] = answer.json()

    async def tell(self) -> dict[str, Any]:
        """All of it."""
        await self._stateless()
        await self._club()
        await self._games()
        await self._cup()
        await self._guests()
        await self._archive()
        await self._problems()
        return self.answers

    async def _stateless(self) -> None:
        await self.shown("RuleSystemList", "GET", "/v1/rule-systems")
        await self.shown("RuleSystem", "GET", "/v1/rule-systems/maffamily")
        await self.shown("RuleKindList", "GET", "/v1/rule-kinds")
        await self.shown("RuleSystemProof", "POST", "/v1/rule-systems/validate", examples.VALIDATIONS["duel"][1])
        await self.shown("Breakdown", "POST", "/v1/rule-systems/maffamily/score", examples.MAFFAMILY_GAME)
        begun = {"seats": [{"seat": 1, "player": "Ann", "role": "don", "bonus": 0.3}, {"seat": 2}]}
        await self.shown("UnfinishedBreakdown", "POST", "/v1/rule-systems/maffamily/score?partial=true", begun)
        _, ranking = examples.RANKINGS["maffamily"]
        await self.shown("Standings", "POST", "/v1/rule-systems/maffamily/standings", ranking)
        await self.shown("Health", "GET", "/healthz")
        await self.shown("ProblemKind", "GET", "/problems/not-found")

    async def _club(self) -> None:
        club, season = self.example("create_club", "club"), self.example("create_season", "season")
        await self.refused("unauthorized", "POST", "/v1/clubs", club)
        self.key = ADMIN
        made = await self.shown("NewClub", "POST", "/v1/clubs", club)
        self.key = made["key"]["secret"]
        await self.shown("Club", "GET", CLUB)
        await self.ask("POST", f"{CLUB}/seasons", season)
        await self.shown("ClubList", "GET", "/v1/clubs?search=maf")
        await self.ask("DELETE", f"{SPRING}")
        judge = await self.shown("NewKey", "POST", f"{CLUB}/keys", self.example("create_key", "judge"))
        await self.shown("KeyList", "GET", f"{CLUB}/keys")
        await self.shown("Season", "POST", f"{CLUB}/seasons", season)
        await self.shown("SeasonList", "GET", f"{CLUB}/seasons")
        president, self.key = self.key, judge["secret"]
        await self.shown("Me", "GET", "/v1/me")
        await self.refused("forbidden", "POST", f"{CLUB}/seasons", season)
        self.key = president

    async def _games(self) -> None:
        games = f"{SPRING}/games"
        president = self.key
        kept = await self.shown("KeptGame", "POST", games + "?create_players=true", examples.MAFFAMILY_GAME)
        address = f"{games}/{kept['id']}"
        mended = deepcopy(examples.MAFFAMILY_GAME)
        mended["seats"][3]["bonus"] = 0.4
        await self.refused("precondition-required", "PUT", address, mended)
        corrected = await self.ask("PUT", address + "?reason=misheard", mended, headers={"if-match": kept["etag"]})
        await self.refused("precondition-failed", "PUT", address, mended, headers={"if-match": kept["etag"]})
        await self.refused("conflict", "POST", games, examples.MAFFAMILY_GAME | {"outcome": "red"})
        await self.shown("GameList", "GET", games)
        await self.shown("GameHistory", "GET", f"{address}/history")
        await self.shown("KeptStandings", "GET", f"{SPRING}/standings")
        await self.shown("WhatIfStandings", "GET", f"{SPRING}/standings?rule_system=sport-percent")
        other_rules = self.example("update_season", "rules")
        await self.shown("SeasonChangePreview", "PATCH", f"{SPRING}?dry_run=true", other_rules)
        dan = corrected.json()["game"]["seats"][3]
        await self.shown("PlayerStanding", "GET", f"{SPRING}/standings/{dan['player_id']}")
        await self.shown("PlayerProgress", "GET", f"{SPRING}/standings/{dan['player_id']}/progress")
        await self.shown("PlayerSeasonStatistics", "GET", f"{SPRING}/players/{dan['player_id']}/statistics")
        await self.shown("SeasonFigures", "GET", f"{SPRING}/statistics")
        await self.shown("SeasonAwards", "GET", f"{SPRING}/awards")

        waiting = mended | {"external_id": "2025-03-14/1/3", "number": 3, "outcome": "red"}
        waiting["seats"] = [{**seat, "bonus": 0} for seat in mended["seats"]]
        waiting["seats"][0]["bonus"] = 0.6
        key = await self.ask("POST", f"{CLUB}/keys", {"role": "judge", "name": "Lee"})
        self.key = key.json()["secret"]
        await self.ask("POST", games, waiting)
        self.key = president
        await self.shown("ApprovalList", "GET", f"{SPRING}/approvals")

        await self.shown("Player", "POST", f"{CLUB}/players", {"nickname": "J0e", "registered": False})
        await self.shown("PlayerList", "GET", f"{CLUB}/players?limit=2")
        await self.shown("DuplicateList", "GET", f"{CLUB}/players/duplicates")
        evening = f"{CLUB}/evenings/2025-03-14"
        await self.shown("Evening", "PUT", evening, {"players": ["Ann", "Bob", "Cid", "Dan"]})
        await self.shown("Seating", "POST", f"{evening}/seating", {"table": 1, "seats": 1})
        webhook = await self.shown("NewWebhook", "POST", f"{CLUB}/webhooks", self.example("create_webhook", "bot"))
        await self.shown("Webhook", "GET", f"{CLUB}/webhooks/{webhook['id']}")
        await self.shown("WebhookList", "GET", f"{CLUB}/webhooks")
        await self.shown("Delivery", "POST", f"{CLUB}/webhooks/{webhook['id']}/test")
        await self.shown("DeliveryList", "GET", f"{CLUB}/webhooks/{webhook['id']}/deliveries")
        await self.shown("ChangeList", "GET", f"{SPRING}/changes?limit=3")

        file = deepcopy(mended) | {"external_id": "2025-03-14/1/4", "number": 4}
        file["seats"][0]["player"] = "Anne"
        media = {"content-type": "application/x-ndjson", "accept": "application/json"}
        query = "?create_players=true&dry_run=true"
        content = json.dumps(file).encode()
        await self.shown("ImportReport", "POST", f"{games}/import{query}", content=content, headers=media)

    async def _cup(self) -> None:
        cup = self.example("create_season", "season")
        cup |= {"slug": "2025-cup", "name": "Cup 2025", "rule_system": "sport-percent", "format": "tournament"}
        await self.ask("POST", f"{CLUB}/seasons", cup)
        await self.ask("POST", f"{CUP}/games?create_players=true", examples.SPORT_PERCENT_GAME)
        standings = (await self.ask("GET", f"{CUP}/standings")).json()
        group = next(tie["players"] for tie in standings["ties"] if tie["lot"] == "needed")
        await self.shown("DrawnLot", "POST", f"{CUP}/lots", {"group": group, "drawn": group[::-1]})
        await self.shown("DrawnLotList", "GET", f"{CUP}/lots")
        await self.ask("PATCH", CUP, {"awards_from": "2025-spring"})
        (first,) = (await self.ask("GET", f"{CLUB}/players?limit=1")).json()["items"]
        await self.shown("CupEntry", "POST", f"{CUP}/entries", {"player": first["id"]})
        await self.shown("CupEntryList", "GET", f"{CUP}/entries")

    async def _guests(self) -> None:
        city = {"slug": "2025-city", "name": "City 2025", "rule_system": "city-average"}
        await self.ask("POST", f"{CLUB}/seasons", city)
        game = deepcopy(examples.CITY_AVERAGE_GAME) | {"played_on": "2025-03-14"}
        game["seats"][0]["player"] = "Guest"
        kept = await self.ask("POST", f"{CLUB}/seasons/2025-city/games?create_players=true", game)
        path = f"{CLUB}/players/{kept.json()['game']['seats'][0]['player_id']}?dry_run=true"
        await self.shown("RegistrationPreview", "PATCH", path, {"registered_on": "2025-03-01"})

    async def _archive(self) -> None:
        archive = await self.ask("GET", f"{SPRING}/archive.zip")
        self.key, president = ADMIN, self.key
        made = await self.ask("POST", "/v1/clubs", {"slug": "elsewhere", "name": "Elsewhere", "timezone": "UTC"})
        self.key = made.json()["key"]["secret"]
        body = {"content": archive.content, "headers": {"content-type": "application/zip"}}
        await self.shown("ImportedSeason", "POST", "/v1/clubs/elsewhere/archives", **body)
        self.key = president

    async def _problems(self) -> None:
        score = "/v1/rule-systems/maffamily/score"
        await self.refused("not-found", "GET", "/v1/rule-systems/mafamily")
        await self.refused("invalid-request", "POST", score, examples.MAFFAMILY_GAME | {"outcome": "Blak"})
        generous = deepcopy(examples.MAFFAMILY_GAME)
        generous["seats"][7]["bonus"] = 0.5
        await self.refused("rule-violation", "POST", score, generous)
        await self.refused("unsupported-media-type", "POST", score, content="{}")
        json_body = {"content-type": "application/json"}
        await self.refused("too-large", "POST", score, content=b" " * 1_000_001, headers=json_body)
        with mock.patch.object(bodies, "read_body", side_effect=BodyTooSlow(bodies.BODY_SECONDS)):
            await self.refused("too-slow", "POST", score, {})
        once = {"idempotency-key": "cup"}
        await self.ask("POST", f"{CLUB}/players", {"nickname": "Liz"}, headers=once)
        await self.refused("idempotency-mismatch", "POST", f"{CLUB}/players", {"nickname": "Max"}, headers=once)
        self.app.state.standings_slots.free = 0
        await self.refused("unavailable", "POST", "/v1/rule-systems/maffamily/standings", {})
        self.key = "guess"
        for _ in range(FAILURES_A_MINUTE):
            await self.ask("GET", "/v1/me")
        await self.refused("rate-limited", "GET", "/v1/me")


async def told() -> dict[str, Any]:
    """The story's answers, with what differs from run to run written as if it were always the same."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/examples.db"
        with closing(Database(url)) as database:
            bring_up_to_date(database)
        app = create_app(Settings(database_url=url, admin_key=SecretStr(ADMIN)))
        began = datetime.now(UTC)
        # Ids that rise: what is listed by them is always listed in the same order.
        with mock.patch("secrets.randbits", side_effect=count()):
            async with AsyncClient(transport=ASGITransport(app), base_url="http://mafrate") as client:
                answers = await Story(app, client).tell()
        app.state.database.close()
    settled: dict[str, Any] = json.loads(_settled(json.dumps(answers, ensure_ascii=False), began))
    return settled


def _settled(text: str, began: datetime) -> str:
    """Ids, secrets, tags, moments and days of this run as those of an evening in March."""
    numbers = count(10)
    ids: dict[str, str] = {}

    def settled_id(found: re.Match[str]) -> str:
        if found[0] not in ids:
            ids[found[0]] = f"{found[1]}_01jd8q6yk3zt4w5x{next(numbers)}"
        return ids[found[0]]

    text = re.sub(r"\b([gkpwed])_[0-9a-z]{18}\b", settled_id, text)
    text = re.sub(r"\bwhsec_[A-Za-z0-9+/]{43}=", f"whsec_{base64.b64encode(bytes(32)).decode()}", text)
    text = re.sub(r"\bmfr_[0-9a-f]{12}_[0-9a-f]{64}\b", f"mfr_0123456789ab_{'0' * 64}", text)
    text = re.sub(r"(?<=\"seed\": \")[0-9a-f]{32}(?=\")", "00112233445566778899aabbccddeeff", text)
    text = re.sub(r"(?<=\.)[0-9a-f]{16}(?=\\\")", "0123456789abcdef", text)
    days = "|".join({f"{began + timedelta(days=days):%Y-%m-%d}" for days in (0, 1)})
    text = re.sub(rf"\"(?:{days})T[0-9:.]+(Z|\+00:00)\"", r'"2025-03-14T18:30:00\1"', text)
    return re.sub(rf"\"(?:{days})\"", '"2025-03-14"', text)


def written() -> str:
    """The file, made anew."""
    return json.dumps(asyncio.run(told()), ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    ANSWERED.write_text(written(), encoding="utf-8")
    sys.exit()
