"""Who may do what: every kept endpoint, found among the application's routes, against every kind of key and trick."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import anyio
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from httpx import ASGITransport, AsyncClient, Response

from app.config import Settings
from app.main import ROUTERS, create_app
from app.repositories.database import Database
from app.repositories.tables import metadata
from app.services.access import OPERATIONS
from app.services.clubs.admin_key import make_admin_key
from app.web import bodies
from app.web.middleware import drain_body
from tests.http.club import ADMIN, SEASON, Club, bearer, new_club
from tests.http.conftest import RED_WON
from tests.http.snapshots import made_once

pytestmark = pytest.mark.anyio

ACCESS: Final = Path(__file__).parents[3] / "docs" / "access.md"
COLUMNS: Final = ("anonymous", "reader", "judge", "chief_judge", "president", "admin")
GAME: Final = {**RED_WON, "played_on": "2025-03-14"}
BODIES: Final[dict[str, Any]] = {
    "create_club": {"slug": "tver", "name": "Tver"},
    "update_club": {"name": "Changed"},
    "create_key": {"role": "president"},
    "create_player": {"nickname": "Newcomer"},
    "update_player": {"registered_on": "2025-03-14"},
    "merge_player": {"into": "<other>"},
    "create_season": {**SEASON, "slug": "autumn"},
    "update_season": {"name": "Changed"},
    "submit_game": {**GAME, "external_id": "another"},
    "correct_game": {**GAME, "judge": "Kim"},
    "decide_approval": {"decision": "approve"},
    "enter_player": {"player": "<player>"},
    "put_evening": {"players": ["<player>"]},
    "draw_seating": {"seats": 1},
    "create_webhook": {"url": "https://bot.example/"},
    "update_webhook": {"name": "Changed"},
    "draw_lot": {"group": ["<player>", "<other>"], "draw": True},
}
"""A body for each operation that takes one: of the right shape, from whoever may send it; ``<other>``: that id."""
FILES: Final = {"import_games": "application/x-ndjson", "import_season": "application/zip"}
"""Types of what those operations are sent that take no JSON; see :class:`Filled`."""
QUERIES: Final = {"reopen_season": "?reason=mistake", "withdraw_lot": "?reason=mistake"}
"""What an operation cannot go without."""


class Endpoint(NamedTuple):
    """A kept operation and where it is."""

    operation: str
    method: str
    path: str
    has_body: bool


def endpoints() -> list[Endpoint]:
    """Every route below /v1 but the stateless ones, whether or not the table of access knows it."""
    described = create_app(Settings()).openapi()["paths"]

    def takes_json(path: str, method: str) -> bool:
        return "application/json" in described[path][method].get("requestBody", {}).get("content", {})

    return [
        Endpoint(route.name, method, route.path_format, takes_json(route.path_format, method.lower()))
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute)
        if route.path.startswith("/v1/") and not route.path.startswith("/v1/rule-")
        for method in sorted(route.methods or ())
    ]


KEPT: Final = endpoints()
on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""Who may do what is decided before a database is asked anything in its own way; tricks and ids are tried on both."""
each_endpoint = pytest.mark.parametrize("endpoint", KEPT, ids=lambda endpoint: endpoint.operation)
each_body = pytest.mark.parametrize(
    "endpoint", [endpoint for endpoint in KEPT if endpoint.has_body], ids=lambda endpoint: endpoint.operation
)


def allows(endpoint: Endpoint, role: str) -> bool:
    return role in OPERATIONS[endpoint.operation]


class Filled(NamedTuple):
    """A club with one of everything: a season, a game, a player, and a key of every role."""

    club: Club
    ids: dict[str, str]
    """What stands for each parameter of a path, and ``other``: of another player."""

    def path(self, endpoint: Endpoint, **other: str) -> str:
        filled = re.sub(r"{(\w+)}", lambda found: {"form": "csv", **self.ids, **other}[found[1]], endpoint.path)
        return filled + QUERIES.get(endpoint.operation, "")

    def body(self, endpoint: Endpoint) -> object:
        if not endpoint.has_body:
            return None
        written = json.dumps(BODIES[endpoint.operation])
        return json.loads(re.sub("<([a-z]+)>", lambda found: self.ids[found[1]], written))

    async def file(self, operation: str) -> bytes:
        if operation == "import_games":
            return json.dumps(GAME).encode()
        archive = await self.club.ask("president", "GET", "/seasons/spring/archive.zip")
        return archive.content

    async def ask(
        self, endpoint: Endpoint, secret: str | None, path: str | None = None, headers: dict[str, str] | None = None
    ) -> Response:
        """The request that would succeed with the right key."""
        carried = bearer(secret) if secret is not None else {}
        if endpoint.method != "GET":
            carried["if-match"] = "*"
        content = None
        if endpoint.operation in FILES:
            carried["content-type"] = FILES[endpoint.operation]
            content = await self.file(endpoint.operation)
        return await self.club.client.request(
            endpoint.method,
            self.path(endpoint) if path is None else path,
            content=content,
            json=self.body(endpoint),
            headers={**carried, **(headers or {})},
        )


async def fill(client: AsyncClient, slug: str, *, public: bool = True) -> Filled:
    club = await new_club(client, slug)
    body = {**SEASON, "rule_system": "sport-percent", "public": public}
    season = await club.ask("president", "POST", "/seasons", body)
    assert season.status_code == 201, season.text
    game = await club.ask("judge", "POST", "/seasons/spring/games?create_players=true", GAME)
    assert game.status_code == 201, game.text
    player, other = (await club.ask("reader", "GET", "/players")).json()["items"][:2]
    spare = (await club.ask("president", "POST", "/keys", {"role": "reader", "name": "spare"})).json()
    ids = {"club": slug, "season": "spring", "game": game.json()["id"], "key": spare["id"]}
    ids |= {"player": player["id"], "other": other["id"]}
    entry = await club.ask("judge", "POST", "/seasons/spring/entries", {"player": player["id"]})
    assert entry.status_code == 201, entry.text
    ties = (await club.ask("reader", "GET", "/seasons/spring/standings")).json()["ties"]
    group = ties[-1]["players"]
    lot = await club.ask("president", "POST", "/seasons/spring/lots", {"group": group, "drawn": group})
    assert lot.status_code == 201, lot.text
    webhook = await club.ask("president", "POST", "/webhooks", {"url": "https://bot.example/"})
    delivery = await club.ask("president", "POST", f"/webhooks/{webhook.json()['id']}/test")
    evening = await club.ask("judge", "PUT", f"/evenings/{GAME['played_on']}", {"players": [player["id"]]})
    assert evening.status_code == 200, evening.text
    ids |= {"day": GAME["played_on"]}
    ids |= {"webhook": webhook.json()["id"], "delivery": delivery.json()["id"]}
    return Filled(club, ids | {"lot": lot.json()["id"]})


@pytest.fixture(autouse=True)
def _streams_end(request: pytest.FixtureRequest) -> None:
    """As when the service stops: here nobody reads a stream before its end."""
    if "kept_app" in request.fixturenames:
        request.getfixturevalue("kept_app").state.live_seasons.stop()


@pytest.fixture
async def mine(kept_app: FastAPI, kept_client: AsyncClient) -> Filled:
    return await filled_once(kept_app, kept_client, "moscow")


@pytest.fixture
async def theirs(kept_app: FastAPI, kept_client: AsyncClient) -> Filled:
    return await filled_once(kept_app, kept_client, "kyiv")


async def filled_once(app: FastAPI, client: AsyncClient, slug: str, *, public: bool = True) -> Filled:
    """As :func:`fill`; the club of another test is copied where there is one."""
    made = await made_once(app, f"{slug} {public}", lambda: fill(client, slug, public=public))
    club = Club(client, slug, {**made.club.secrets}, {**made.club.ids})
    return Filled(club, {**made.ids})


def everything(app: FastAPI) -> dict[str, list[Any]]:
    """All rows of all tables, but for when keys were last used."""
    with app.state.database.read() as tx:
        return {
            name: sorted(
                repr([value for column, value in row._mapping.items() if column != "last_used_at"])
                for row in tx.execute(table.select())
            )
            for name, table in metadata.tables.items()
        }


def expire(database: Database, key_id: str) -> None:
    """Let the time of a key have come a second ago."""
    keys = metadata.tables["keys"]
    gone = datetime.now(UTC) - timedelta(seconds=1)
    with database.write() as tx:
        changed = tx.execute(keys.update().where(keys.c.public_id == key_id).values(expires_at=gone))
    assert changed.rowcount == 1


def problem(answer: Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    return answer.status_code, answer.json()["type"].removeprefix("/problems/")


def let_in(answer: Response) -> bool:
    """Whether the key was good enough; a conflict is not about the key."""
    return answer.status_code in (200, 201, 204, 409)


UNAUTHORIZED: Final = (401, "unauthorized")
FORBIDDEN: Final = (403, "forbidden")
NOT_FOUND: Final = (404, "not-found")


def documented() -> dict[str, set[str]]:
    """Method and path to the roles that the page says yes to."""
    rows = re.findall(r"^\| `([A-Z]+ /\S+)` \|(.*)\|$", ACCESS.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        endpoint: {role for role, cell in zip(COLUMNS, cells.split("|"), strict=True) if cell.strip().startswith("yes")}
        for endpoint, cells in rows
    }


def test_the_page_on_access_says_what_the_code_does() -> None:
    coded = {f"{kept.method} {kept.path}": set(OPERATIONS[kept.operation]) for kept in KEPT}
    assert documented() == coded


def test_every_operation_is_a_route_and_has_a_body_to_be_tried_with() -> None:
    assert {kept.operation for kept in KEPT} <= set(OPERATIONS)
    assert {kept.operation for kept in KEPT if kept.has_body} == set(BODIES)


@each_endpoint
async def test_each_role_may_do_what_the_table_says_and_no_more(
    endpoint: Endpoint, mine: Filled, kept_app: FastAPI
) -> None:
    before = everything(kept_app)
    for role in ("anonymous", "reader", "judge", "chief_judge", "president", "admin"):
        if not allows(endpoint, role):
            answer = await mine.ask(endpoint, mine.club.secrets.get(role))
            assert problem(answer) == (UNAUTHORIZED if role == "anonymous" else FORBIDDEN), role
            assert role != "anonymous" or answer.headers["www-authenticate"].startswith("Bearer")
    assert everything(kept_app) == before
    (lowest, *_) = [role for role in COLUMNS if allows(endpoint, role)]
    assert let_in(await mine.ask(endpoint, mine.club.secrets.get(lowest)))


@on_sqlite
@each_endpoint
async def test_a_key_of_another_club_opens_no_more_than_no_key(
    endpoint: Endpoint, mine: Filled, theirs: Filled, kept_app: FastAPI
) -> None:
    if endpoint.operation in ("create_club", "get_me"):
        return  # of no club
    before = everything(kept_app)
    for role in ("reader", "judge", "chief_judge", "president"):
        answer = await mine.ask(endpoint, theirs.club.secrets[role])
        if allows(endpoint, "anonymous"):
            assert answer.content == (await mine.ask(endpoint, None)).content
        else:
            assert problem(answer) == (NOT_FOUND if endpoint.method == "GET" else FORBIDDEN)
    assert everything(kept_app) == before


@on_sqlite
@each_endpoint
async def test_of_a_season_that_is_not_public_strangers_learn_nothing(
    endpoint: Endpoint, theirs: Filled, kept_client: AsyncClient, kept_app: FastAPI
) -> None:
    if "{season}" not in endpoint.path:
        return
    hidden = await filled_once(kept_app, kept_client, "tver", public=False)
    absent = re.sub("seasons/spring", "seasons/absent", hidden.path(endpoint))
    before = everything(kept_app)
    for secret in (None, ADMIN, *theirs.club.secrets.values()):
        answer = await hidden.ask(endpoint, secret)
        assert problem(answer) == NOT_FOUND or (secret is None and problem(answer) == UNAUTHORIZED)
        of_nothing = await hidden.ask(endpoint, secret, absent)
        assert (problem(answer), answer.json()["detail"]) == (problem(of_nothing), of_nothing.json()["detail"])
    assert everything(kept_app) == before
    (lowest, *_) = [role for role in COLUMNS[1:] if allows(endpoint, role)]
    assert let_in(await hidden.ask(endpoint, hidden.club.secrets[lowest]))


@on_sqlite
@each_endpoint
async def test_a_key_that_opens_nothing_is_refused_everywhere(
    endpoint: Endpoint, mine: Filled, kept_app: FastAPI
) -> None:
    president = mine.club.secrets["president"]
    revoked = await mine.club.ask("president", "POST", "/keys", {"role": "president"})
    await mine.club.ask("president", "DELETE", f"/keys/{revoked.json()['id']}")
    expired = await mine.club.ask("president", "POST", "/keys", {"role": "president"})
    expire(kept_app.state.database, expired.json()["id"])
    prefix, _, chance = president.rpartition("_")
    before = everything(kept_app)
    for secret in (
        revoked.json()["secret"],
        expired.json()["secret"],
        f"{prefix}_{'0' * 64}",
        f"{prefix}_",
        prefix,
        chance,
        president.upper(),
        president + "0",
        "",
        "' OR 1=1 --",
    ):
        answer = await mine.ask(endpoint, secret)
        assert problem(answer) == UNAUTHORIZED, secret
        assert answer.headers["www-authenticate"].startswith("Bearer")
    for header in (president, f"Basic {president}", f"Bearer{president}", "Bearer"):
        assert problem(await mine.ask(endpoint, None, headers={"authorization": header})) == UNAUTHORIZED
    assert everything(kept_app) == before


@each_endpoint
async def test_an_id_of_another_club_is_not_found_below_ones_own(
    endpoint: Endpoint, mine: Filled, theirs: Filled, kept_app: FastAPI
) -> None:
    (role, *_) = [role for role in reversed(COLUMNS) if allows(endpoint, role) and role != "admin"] or ["admin"]
    await theirs.club.ask("president", "POST", "/seasons", {**SEASON, "slug": "only-theirs"})
    before = everything(kept_app)
    for parameter, other in (theirs.ids | {"season": "only-theirs"}).items():
        # Lots are numbered in their season: the same id there names another lot here. A day is everybody's.
        if parameter not in ("club", "lot", "day") and f"{{{parameter}}}" in endpoint.path:
            answer = await mine.ask(endpoint, mine.club.secrets[role], mine.path(endpoint, **{parameter: other}))
            assert problem(answer) == NOT_FOUND, parameter
    assert everything(kept_app) == before


TRICKS: Final = (
    "%27%20OR%20%271%27=%271",
    "x%27;%20DROP%20TABLE%20clubs;%20--",
    "moscow%00",
    "%00",
    "..%2f..%2fetc%2fpasswd",
    "%2e%2e",
    "%2e%2e%2fkyiv",
    "..%5c",
    "%25",
    "_",
    "*",
    "moscow%20",
    "moscow%0a",
    "MOSCOW",
    "%D0%BCoscow",
    "%ff%fe",
    "%ed%a0%80",
    "%F0%9F%98%80",
    "a" * 2000,
    "-1",
    "1",
    "null",
    "{club}",
)


@each_endpoint
async def test_a_trick_in_a_path_finds_nothing(endpoint: Endpoint, mine: Filled, kept_app: FastAPI) -> None:
    before = everything(kept_app)
    for parameter in re.findall(r"{(\w+)}", endpoint.path):
        for trick in TRICKS:
            path = mine.path(endpoint, **{parameter: trick})
            for secret in (mine.club.secrets["president"], None):
                answer = await mine.ask(endpoint, secret, path)
                assert answer.status_code in (401, 404, 405, 422), (path, answer.text)
                assert secret is None or answer.status_code != 401
                assert problem(answer)
    assert everything(kept_app) == before


@each_body
async def test_a_body_that_is_too_large_is_refused_unread(
    endpoint: Endpoint, mine: Filled, kept_app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drain_body, "MOST_BYTES", 0)

    async def endless() -> AsyncIterator[bytes]:
        sent = 0
        yield b'{"name": "'
        while True:
            sent += 65536
            assert sent < 4_000_000, "more was read than the limit allows"
            yield b"a" * 65536

    secret = ADMIN if endpoint.operation == "create_club" else mine.club.secrets["president"]
    headers = {**bearer(secret), "content-type": "application/json", "if-match": "*"}
    before = everything(kept_app)
    for content in (endless(), b" " * 1_000_001):
        answer = await mine.club.client.request(endpoint.method, mine.path(endpoint), content=content, headers=headers)
        assert problem(answer) == (413, "too-large")
    assert everything(kept_app) == before


@each_body
async def test_a_body_that_does_not_end_is_given_up(
    endpoint: Endpoint, mine: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow() -> AsyncIterator[bytes]:
        yield b"{"
        await anyio.sleep(5)
        yield b"}"

    monkeypatch.setattr(bodies, "BODY_SECONDS", 0.05)
    secret = ADMIN if endpoint.operation == "create_club" else mine.club.secrets["president"]
    headers = {**bearer(secret), "content-type": "application/json", "if-match": "*"}
    answer = await mine.club.client.request(endpoint.method, mine.path(endpoint), content=slow(), headers=headers)
    assert problem(answer) == (408, "too-slow")


@each_body
async def test_of_who_brings_no_key_no_body_is_read(endpoint: Endpoint, mine: Filled) -> None:
    async def never() -> AsyncIterator[bytes]:
        yield b"{"
        raise AssertionError("more of the body was asked for")

    answer = await mine.club.client.request(
        endpoint.method, mine.path(endpoint), content=never(), headers={"content-type": "application/json"}
    )
    assert problem(answer) == UNAUTHORIZED


@each_body
async def test_a_body_that_is_not_an_object_in_json_is_refused(
    endpoint: Endpoint, mine: Filled, kept_app: FastAPI
) -> None:
    secret = ADMIN if endpoint.operation == "create_club" else mine.club.secrets["president"]
    untyped = {**bearer(secret), "if-match": "*"}
    typed = {**untyped, "content-type": "application/json"}
    ask, path = mine.club.client.request, mine.path(endpoint)
    before = everything(kept_app)
    for body in (b"", b"{", b"[]", b"null", b'{"name": NaN}', b'{"a": 1, "a": 2}', b'"\xff"'):
        answer = await ask(endpoint.method, path, content=body, headers=typed)
        assert problem(answer) == (422, "invalid-request"), body
    assert problem(await ask(endpoint.method, path, content=b"{}", headers=untyped)) == (415, "unsupported-media-type")
    assert everything(kept_app) == before


async def test_a_nickname_of_another_club_is_unknown_and_not_suggested(mine: Filled, theirs: Filled) -> None:
    await theirs.club.ask("judge", "POST", "/players", {"nickname": "Zorro the Kyivan"})
    game = {**GAME, "seats": [{**GAME["seats"][0], "player": "Zorro the Kyivan"}, *GAME["seats"][1:]]}
    refused = await mine.club.ask("judge", "POST", "/seasons/spring/games", game)
    (fault,) = refused.json()["violations"]
    assert (fault["code"], fault["pointer"]) == ("unknown_player", "/seats/0/player")
    assert fault.get("suggestions", []) == []


async def test_answers_tell_no_secret_hash_and_no_row_number(mine: Filled) -> None:
    for endpoint in KEPT:
        if endpoint.method == "GET":
            answer = await mine.ask(endpoint, mine.club.secrets["president"])
            assert answer.status_code == 200
            assert re.findall(r"secret|hash|prefix|mfr_|club_id|key_id|\b[0-9a-f]{64}\b", answer.text) == []


async def test_the_admins_stored_key_opens_what_the_settings_one_does(database_url: str) -> None:
    shown: list[str] = []
    with closing(Database(database_url)) as database:
        make_admin_key(database, announce=shown.append, now=datetime.now(UTC))
    app = create_app(Settings(database_url=database_url))
    async with AsyncClient(transport=ASGITransport(app), base_url="http://mafrate") as client:
        me = await client.get("/v1/me", headers=bearer(shown[0]))
        assert (me.json()["role"], me.json()["club"], me.json()["key"]["name"]) == ("admin", None, "admin")
        made = await client.post("/v1/clubs", json=BODIES["create_club"], headers=bearer(shown[0]))
        assert made.status_code == 201
        refused = await client.get("/v1/clubs/tver/keys", headers=bearer(shown[0]))
        assert problem(refused) == FORBIDDEN
    app.state.database.close()
