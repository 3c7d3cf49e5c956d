"""The service about itself, and what holds for every address."""

import re
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient

from app.config import Settings
from app.main import create_app
from app.schemas.common.problem_kinds import KINDS

pytestmark = pytest.mark.anyio


async def test_the_process_says_that_it_is_alive(client: AsyncClient) -> None:
    answer = await client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


async def test_metrics_count_requests_by_the_template_of_their_route(client: AsyncClient, game: dict[str, Any]) -> None:
    label = 'method="POST",route="/v1/rule-systems/{system_id}/score",status='

    async def so_far(status: int) -> int:
        text = (await client.get("/metrics")).text
        found = re.search(re.escape(f'mafrate_request_seconds_count{{{label}"{status}"}} ') + r"(\d+)", text)
        return int(found[1]) if found else 0

    before = await so_far(200), await so_far(422)
    await client.post("/v1/rule-systems/maffamily/score", json=game)
    await client.post("/v1/rule-systems/sport-percent/score", json=game)
    await client.post("/v1/rule-systems/city-average/score", json=game)
    assert (await so_far(200), await so_far(422)) == (before[0] + 2, before[1] + 1)


async def test_metrics_hold_no_address_that_a_client_made_up(client: AsyncClient) -> None:
    await client.get("/made-up-address")
    await client.request("BREW", "/made-up-address")
    text = (await client.get("/metrics")).text
    assert "made-up-address" not in text
    assert "BREW" not in text
    assert 'mafrate_request_seconds_count{method="GET",route="none",status="404"}' in text


@pytest.mark.parametrize("path", ["/healthz", "/metrics", "/openapi.json", "/docs", "/v1/rule-systems/maffamily"])
async def test_head_answers_what_get_does_without_the_body(client: AsyncClient, path: str) -> None:
    got, headed = await client.get(path), await client.head(path)
    assert headed.status_code == got.status_code == 200
    assert headed.content == b""
    assert headed.headers["content-type"] == got.headers["content-type"]
    assert path == "/metrics" or headed.headers["content-length"] == str(len(got.content))


async def test_head_of_nothing_is_not_found(client: AsyncClient) -> None:
    answer = await client.head("/nothing")
    assert (answer.status_code, answer.content) == (404, b"")


@pytest.mark.parametrize(
    "method, path, allowed",
    [
        ("DELETE", "/healthz", "GET, HEAD"),
        ("POST", "/v1/rule-systems", "GET, HEAD"),
        ("OPTIONS", "/v1/rule-systems/maffamily", "GET, HEAD"),
        ("GET", "/v1/rule-systems/maffamily/score", "POST"),
        ("HEAD", "/v1/rule-systems/maffamily/score", "POST"),
        ("BREW", "/v1/rule-systems/maffamily/standings", "POST"),
        ("POST", "/static/swagger-ui/swagger-ui.css", "GET, HEAD"),
        ("DELETE", "/static/nothing", "GET, HEAD"),
        ("POST", "/docs", "GET, HEAD"),
        ("PATCH", "/openapi.json", "GET, HEAD"),
    ],
)
async def test_another_method_is_told_which_ones_there_are(
    client: AsyncClient, method: str, path: str, allowed: str
) -> None:
    answer = await client.request(method, path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == allowed
    assert method == "HEAD" or answer.json()["type"] == "/problems/method-not-allowed"


async def test_what_an_address_takes_is_what_the_description_says(app: FastAPI, client: AsyncClient) -> None:
    paths = app.openapi()["paths"]
    for template, operations in paths.items():
        address = template
        for parameter in next(iter(operations.values())).get("parameters", []):
            if parameter["in"] == "path":
                example = parameter.get("example") or parameter["schema"]["examples"][0]
                address = address.replace(f"{{{parameter['name']}}}", example)
        answer = await client.request("BREW", address)
        assert answer.status_code == 405, address
        allowed = set(answer.headers["allow"].split(", "))
        described = {method.upper() for method in operations}
        assert allowed == described | ({"HEAD"} if "GET" in described else set()), address


async def test_two_routes_of_one_address_are_both_in_allow(app: FastAPI) -> None:
    app.get("/pair")(lambda: None)
    app.put("/pair")(lambda: None)
    async with AsyncClient(transport=ASGITransport(app), base_url="http://t") as client:
        assert (await client.delete("/pair")).headers["allow"] == "GET, HEAD, PUT"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_the_root_leads_to_the_documentation(client: AsyncClient, method: str) -> None:
    """By a relative reference, which holds behind a proxy that puts a path before it."""
    answer = await client.request(method, "/")
    assert (answer.status_code, answer.headers["location"]) == (307, "docs")
    assert (await client.request(method, "/", follow_redirects=True)).headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("path", ["/v1", "/v1/rule-systems/", "/v2/rule-systems", "/static/nothing.js", "/%0a"])
async def test_an_unknown_address_is_a_problem_that_names_it(client: AsyncClient, path: str) -> None:
    answer = await client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["instance"].lower() == path


@pytest.mark.parametrize("slug", KINDS)
async def test_the_type_of_every_problem_can_be_opened(client: AsyncClient, slug: str) -> None:
    answer = await client.get(f"/problems/{slug}", headers={"accept-language": "ru"})
    assert answer.status_code == 200
    assert answer.json() == {
        "type": f"/problems/{slug}",
        "title": KINDS[slug].title.ru,
        "status": KINDS[slug].status,
        "detail": KINDS[slug].meaning.ru,
    }


async def test_a_type_of_problem_that_does_not_exist_is_not_found(client: AsyncClient) -> None:
    assert (await client.get("/problems/boredom")).status_code == 404


async def test_the_documentation_needs_nothing_but_this_service(client: AsyncClient) -> None:
    page = await client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "://" not in page.text
    for link in re.findall(r'(?:src|href|url)(?:=|: )"([^"]+)"', page.text):
        assert (await client.get(f"/{link}")).status_code == 200
    assert "'unsafe-inline'" not in page.headers["content-security-policy"].split("style-src")[0]
    assert "://" not in page.headers["content-security-policy"]


async def test_nothing_is_guessed_from_content(client: AsyncClient) -> None:
    for path in ("/healthz", "/docs", "/nothing"):
        assert (await client.get(path)).headers["x-content-type-options"] == "nosniff"


async def test_other_origins_are_let_in_only_when_they_are_named() -> None:
    origin = {"origin": "https://club.example"}
    for settings, expected in (
        (Settings(), None),
        (Settings(cors_origins=("https://club.example",)), origin["origin"]),
    ):
        transport = ASGITransport(create_app(settings))
        async with AsyncClient(transport=transport, base_url="http://t") as client:
            answer = await client.get("/v1/rule-systems", headers=origin)
        assert answer.headers.get("access-control-allow-origin") == expected
