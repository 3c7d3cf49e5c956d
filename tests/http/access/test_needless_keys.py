"""Keys where none is needed: one that opens nothing is refused there too (docs/api.md#errors)."""

from typing import Any, Final

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response

from app.schemas.common.examples import VALIDATIONS
from app.web.failed_logins import FAILURES_A_MINUTE
from tests.http.club import ADMIN, Club, bearer
from tests.http.conftest import RED_WON

pytestmark = pytest.mark.anyio

STATELESS: Final[dict[str, tuple[str, str, Any]]] = {
    "list_rule_systems": ("GET", "/v1/rule-systems", None),
    "get_rule_system": ("GET", "/v1/rule-systems/maffamily", None),
    "get_template": ("GET", "/v1/rule-systems/maffamily/template.csv", None),
    "score_game": ("POST", "/v1/rule-systems/maffamily/score", RED_WON),
    "validate_rule_system": ("POST", "/v1/rule-systems/validate", VALIDATIONS["duel"][1]),
    "rank_games": ("POST", "/v1/rule-systems/maffamily/standings", {"format": "season", "games": [RED_WON]}),
}
OPERATIONAL: Final = ("/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", "/problems/unauthorized")
stateless = pytest.mark.parametrize("operation", STATELESS)


async def ask(client: AsyncClient, operation: str, headers: dict[str, str] | None = None) -> Response:
    method, path, body = STATELESS[operation]
    return await client.request(method, path, json=body, headers=headers)


def test_every_stateless_operation_is_tried_here(app: FastAPI) -> None:
    described = {
        operation["operationId"]: path
        for path, operations in app.openapi()["paths"].items()
        for operation in operations.values()
    }
    assert {name for name, path in described.items() if path.startswith("/v1/rule-systems")} == set(STATELESS)


@stateless
@pytest.mark.parametrize(
    "authorization",
    ["Bearer nonsense", "Bearer mfr_aaaaaaaaaaaa_" + "0" * 64, "Bearer ", "Basic YTpi", "nonsense", ""],
)
async def test_what_opens_nothing_is_refused_by_what_is_open_to_anyone(
    kept_client: AsyncClient, operation: str, authorization: str
) -> None:
    answer = await ask(kept_client, operation, {"authorization": authorization})
    assert (answer.status_code, answer.json()["type"]) == (401, "/problems/unauthorized")
    assert answer.headers["www-authenticate"].startswith("Bearer")


@stateless
async def test_a_key_that_was_revoked_is_refused_and_the_others_are_not(club: Club, operation: str) -> None:
    await club.ask("president", "DELETE", f"/keys/{club.ids['reader']}")
    for role, status in (("reader", 401), ("judge", 200), ("president", 200), ("admin", 200)):
        answer = await ask(club.client, operation, bearer(club.secrets[role]))
        assert answer.status_code == status, role


@stateless
async def test_without_a_key_the_database_is_not_asked(kept_app: FastAPI, operation: str) -> None:
    database, kept_app.state.database = kept_app.state.database, None
    async with AsyncClient(transport=ASGITransport(kept_app), base_url="http://mafrate") as client:
        answer = await ask(client, operation)
    kept_app.state.database = database
    assert answer.status_code == 200


async def test_guessing_at_a_stateless_address_counts_as_anywhere(kept_client: AsyncClient) -> None:
    for _ in range(FAILURES_A_MINUTE):
        assert (await ask(kept_client, "list_rule_systems", bearer("guess"))).status_code == 401
    limited = await kept_client.get("/v1/me", headers=bearer("guess"))
    assert (limited.status_code, limited.json()["type"]) == (429, "/problems/rate-limited")
    assert (await ask(kept_client, "list_rule_systems", bearer("guess"))).status_code == 429
    assert (await ask(kept_client, "list_rule_systems", bearer(ADMIN))).status_code == 429  # it could be a guess


@pytest.mark.parametrize("path", OPERATIONAL)
async def test_the_service_tells_of_itself_without_a_look_at_keys(kept_client: AsyncClient, path: str) -> None:
    assert (await kept_client.get(path, headers=bearer("guess"))).status_code == 200
