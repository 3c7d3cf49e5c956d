"""Routes read what their signatures say."""

import json
from collections.abc import AsyncIterator
from typing import Annotated

import pytest
from fastapi import APIRouter, Body, FastAPI, Header, Query, Request, Response
from httpx import ASGITransport, AsyncClient
from pydantic import BaseModel, ConfigDict

from app import problems
from app.routers.common.strict_route import KeySession, StrictRoute


class Shelf(BaseModel):
    model_config = ConfigDict(extra="forbid")

    row: int = 1


class Book(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str


pytestmark = pytest.mark.anyio

router = APIRouter(route_class=StrictRoute)


@router.post("/{room}/books")
async def shelve(
    room: str,
    query: Annotated[Shelf, Query()],
    book: Annotated[Book, Body()],
    lender: Annotated[str | None, Header(alias="Lender")],
    session: KeySession,
    request: Request,
) -> Response:
    seen = [room, query.row, book.title, lender, session.request is request, request.state.body.decode()]
    return Response(json.dumps(seen))


KEY = {"authorization": "Bearer key"}
BOOK = '{"title": "Don"}'


@pytest.fixture
async def client() -> AsyncIterator[AsyncClient]:
    app = FastAPI()
    problems.install(app)
    app.router.routes.extend(router.routes)
    async with AsyncClient(transport=ASGITransport(app), base_url="http://t") as client:
        yield client


async def test_each_parameter_gets_what_it_names(client: AsyncClient) -> None:
    headers = {**KEY, "content-type": "application/json", "lender": "Ann"}
    answer = await client.post("/attic/books?row=3", content=BOOK, headers=headers)
    assert answer.json() == ["attic", 3, "Don", "Ann", True, BOOK]


async def test_the_query_is_read_before_the_key_and_the_key_before_the_body(client: AsyncClient) -> None:
    headers = {"content-type": "text/plain"}
    assert (await client.post("/attic/books?shelf=3", content="{", headers=headers)).status_code == 422
    assert (await client.post("/attic/books", content="{", headers=headers)).status_code == 401
    assert (await client.post("/attic/books", content="{", headers=headers | KEY)).status_code == 415
    headers["content-type"] = "application/json"
    answer = await client.post("/attic/books", content="{", headers=headers | KEY)
    assert answer.json()["violations"][0]["code"] == "json"


def test_a_parameter_that_is_no_model_stops_the_start() -> None:
    async def find(row: Annotated[int, Query()]) -> Response:
        return Response(str(row))

    with pytest.raises(TypeError, match="row: a model expected"):
        APIRouter(route_class=StrictRoute).get("/books")(find)
