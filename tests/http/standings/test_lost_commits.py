"""Commits that a service has read and the database has lost: a standby that lacked them was promoted, say.

The season then comes to the same revision again by another game. What the service knows of it is of the first.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from sqlalchemy import delete, insert, select, update

from app.repositories.database import Database
from app.repositories.tables import CHANGES, metadata
from tests.http.kept_season import KeptSeason
from tests.http.tables import FIRST, SECOND, ask, table

pytestmark = pytest.mark.anyio

Rows: TypeAlias = dict[str, list[dict[str, Any]]]

PATHS = ("/standings", "/standings.csv", "/standings.xlsx", "/awards", "/standings?order=points")


def rows_of(database: Database) -> Rows:
    """Everything that the database has."""
    with database.read() as tx:
        return {
            found.name: [dict(row) for row in tx.execute(select(found)).mappings()] for found in metadata.sorted_tables
        }


def put_back(database: Database, rows: Rows) -> None:
    """Let the database have that and nothing else."""
    with database.write() as tx:
        for found in reversed(metadata.sorted_tables):
            tx.execute(delete(found))
        for found in metadata.sorted_tables:
            if rows[found.name]:
                tx.execute(insert(found), rows[found.name])


@pytest.fixture
def at_the_same_moment(monkeypatch: pytest.MonkeyPatch) -> Callable[[Database], None]:
    """Let all that was done in seasons have been done at one moment."""

    def align(database: Database) -> None:
        with database.write() as tx:
            moment = tx.execute(select(CHANGES.c.at).limit(1)).scalar_one()
            tx.execute(update(CHANGES).values(at=moment))

    return align


@pytest.mark.parametrize("games_lost", [1, 2])
async def test_nothing_of_a_lost_game_is_answered_when_another_took_its_revision(
    spring: KeptSeason, at_the_same_moment: Callable[[Database], None], games_lost: int
) -> None:
    before = rows_of(spring.database)
    for number in range(games_lost):
        await spring.kept(FIRST | {"number": number + 1})
    at_the_same_moment(spring.database)
    lost = {path: await ask(spring, path) for path in PATHS}
    again = {path: await ask(spring, path) for path in PATHS}
    assert {path: answer.headers["etag"] for path, answer in lost.items()} == {
        path: answer.headers["etag"] for path, answer in again.items()
    }
    put_back(spring.database, before)
    for number in range(games_lost):
        await spring.kept(SECOND | {"number": number + 1})
    at_the_same_moment(spring.database)
    found = await table(spring)
    assert (found["revision"], found["games"]) == (games_lost, games_lost)
    assert {row["player"]["nickname"]: row["values"]["wins"] for row in found["rows"]} == {
        f"P{number}": games_lost * (number in (8, 9, 10)) for number in range(1, 11)
    }
    for path, answer in lost.items():
        now = await ask(spring, path, if_none_match=answer.headers["etag"])
        assert now.status_code == 200, path
        assert now.content != answer.content, path


@pytest.mark.unsound
async def test_a_game_that_was_made_again_otherwise_has_another_etag(spring: KeptSeason) -> None:
    """Version 1 of the game was pending where it was lost, and counts where it was made again."""
    game = await spring.kept(FIRST)
    before = await spring.ask("reader", "GET", f"/{game['id']}")
    rows = rows_of(spring.database)
    for row in (*rows["games"], *rows["game_versions"]):
        row["status"] = "pending"
    put_back(spring.database, rows)
    after = await spring.ask("reader", "GET", f"/{game['id']}", headers={"if-none-match": before.headers["etag"]})
    assert (after.status_code, after.json()["status"]) == (200, "pending")
