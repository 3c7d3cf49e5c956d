"""A season to keep games in over HTTP: a club, a key of every role, ten players P1 to P10."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import count
from typing import Any, Final, NamedTuple

import pytest
from fastapi import FastAPI
from httpx import AsyncClient, Response

from app.repositories.database import Database
from app.scoring.terms import Format
from app.services.access import Caller
from app.services.clubs import clubs, keys, players
from app.services.seasons import seasons
from app.services.seasons.seasons import NewSeason, RequestedRules
from tests.http.club import bearer

ROLES: Final = ("president", "chief_judge", "judge", "reader")
MADE: Final = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
SPRING: Final = (date(2025, 3, 1), date(2025, 5, 31))
_OWN: Final = count(1)
ADMIN: Final = Caller(None, None, None, "admin", "")


class KeptSeason(NamedTuple):
    """A season, and requests about its games made with the keys of its club."""

    client: AsyncClient
    database: Database
    club: str
    slug: str
    secrets: dict[str, str]
    """By role."""
    ids: dict[str, str]
    """Public ids of the keys, by role."""

    @property
    def path(self) -> str:
        """Where its games are."""
        return f"/v1/clubs/{self.club}/seasons/{self.slug}/games"

    async def ask(
        self, role: str, method: str, path: str = "", json: object = None, headers: dict[str, str] | None = None
    ) -> Response:
        """Ask for a path below the season's games with the key of a role; ``anonymous`` brings none."""
        carried = bearer(self.secrets[role]) if role in self.secrets else {}
        return await self.client.request(method, self.path + path, json=json, headers={**carried, **(headers or {})})

    async def submit(self, game: object, role: str = "judge", **headers: str) -> Response:
        """Submit a game."""
        return await self.ask(
            role, "POST", "", game, {name.replace("_", "-"): value for name, value in headers.items()}
        )

    async def kept(self, game: object, role: str = "judge") -> dict[str, Any]:
        """Submit a game that must be taken, under an id of its own if it is like another; the answer, numbers exact."""
        answer = await self.submit(game, role)
        is_known = answer.status_code == 200 or answer.json().get("code") == "possible_duplicate"
        if is_known and isinstance(game, dict) and not game.get("external_id"):
            answer = await self.submit({**game, "external_id": f"own/{next(_OWN)}"}, role)
        return read(answer, 201)

    async def correct(self, kept: dict[str, Any], game: object, role: str = "judge", query: str = "") -> Response:
        """Correct a game that was answered before."""
        return await self.ask(role, "PUT", f"/{kept['id']}{query}", game, {"if-match": kept["etag"]})

    async def get(self, game_id: str, role: str = "judge", path: str = "") -> dict[str, Any]:
        """Read a game, or what is below it."""
        return read(await self.ask(role, "GET", f"/{game_id}{path}"))


def read(answer: Response, status: int = 200) -> dict[str, Any]:
    """The body of an answer that must have this status, its numbers exact."""
    assert answer.status_code == status, answer.text
    value: dict[str, Any] = json.loads(answer.content, parse_float=Decimal)
    return value


def faults(answer: Response) -> list[tuple[str, str]]:
    """Code and pointer of every violation of the rules that an answer reports."""
    assert answer.status_code == 422, answer.text
    assert answer.json()["type"] == "/problems/rule-violation"
    return [(found["code"], found["pointer"]) for found in answer.json()["violations"]]


def problem(answer: Response) -> tuple[int, str, str | None]:
    """Status, type and code of a problem."""
    value = answer.json()
    return answer.status_code, value["type"].removeprefix("/problems/"), value["code"]


def points(kept: dict[str, Any]) -> dict[int, object]:
    """Every seat's total."""
    return {seat["seat"]: seat["total"] for seat in kept["breakdown"]["seats"]}


class Founded(NamedTuple):
    """A season that was made, and the keys of its club by role."""

    club: str
    slug: str
    secrets: dict[str, str]
    ids: dict[str, str]
    """Public ids."""

    @property
    def path(self) -> str:
        """Where its games are."""
        return f"/v1/clubs/{self.club}/seasons/{self.slug}/games"


def found(
    database: Database,
    *,
    club: str = "moscow",
    system: str = "maffamily",
    format: Format = "season",
    public: bool = True,
    days: tuple[date | None, date | None] = SPRING,
    nicknames: int = 10,
) -> Founded:
    """A club in Moscow's zone, a key of every role, the season ``spring`` under version 1 of ``system``, players P1…"""
    secrets, ids = {}, {}
    with database.write() as tx:
        made = clubs.create(tx, ADMIN, slug=club, name=club.title(), timezone="Europe/Moscow", now=MADE)
        key = made.issued.key
        president = Caller(key.id, key.public_id, key.club_id, key.role, key.name)
        secrets["president"], ids["president"] = made.issued.secret, key.public_id
        for role in ROLES[1:]:
            issued = keys.create(tx, president, club, role=role, name=f"a {role}", expires_at=None, now=MADE)
            secrets[role], ids[role] = issued.secret, issued.key.public_id
        season = NewSeason("spring", "Spring", RequestedRules(system, 1), format, *days, public)
        seasons.create(tx, president, club, season, MADE)
        names = [f"P{number}" for number in range(1, nicknames + 1)]
        players.enrol(tx, president, made.club, names, registered=True, now=MADE)
    return Founded(club, "spring", secrets, ids)


def make_season(database: Database, client: AsyncClient, **options: Any) -> KeptSeason:
    """What :func:`found` makes, and a client to ask about it."""
    return KeptSeason(client, database, *found(database, **options))


@pytest.fixture
def spring(kept_app: FastAPI, kept_client: AsyncClient) -> KeptSeason:
    """A public season under maffamily."""
    return make_season(kept_app.state.database, kept_client)
