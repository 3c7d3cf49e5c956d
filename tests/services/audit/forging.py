"""A season whose past is of all kinds, and forging it behind the service's back."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy

import pytest
from sqlalchemy import text

from app.repositories.database import Transaction
from app.repositories.seasons import seasons
from app.repositories.seasons.seasons import Season
from tests.http.conftest import RED_WON
from tests.http.desk import ask, merge, newcomer, player, table
from tests.http.games.test_approvals import decide
from tests.http.games.test_submitting import ON
from tests.http.importing import ndjson, post
from tests.http.kept_season import KeptSeason, read, spring  # noqa: F401  found by name


@pytest.fixture
async def past(spring: KeptSeason) -> KeptSeason:  # noqa: F811
    """A season of 13 revisions with a game in each way of getting a version, an entry or a lot.

    1 to 4: a is submitted, corrected (black won), voided, restored; P1b sits in its seat 1. 5, 6: b is submitted with a
    bonus of 0.6 and approved. 7: P1b is merged into P1. 8: the rules are sport-percent. 9: a lot is drawn here for two,
    10: at the table for seven. 11: P9, one of the seven, is merged into a newcomer. 12: c and d are imported, and d
    waits. 13: c is voided.
    """
    red = {**deepcopy(RED_WON), **ON}
    twin = deepcopy(red) | {"external_id": "a"}
    twin["seats"][0]["player"] = "P1b"
    bonused = deepcopy(red) | {"external_id": "b"}
    bonused["seats"][0]["bonus"] = 0.6
    loser = await newcomer(spring, "P1b")
    a = await spring.kept(twin)
    a = read(await spring.correct(a, {**twin, "outcome": "black"}))
    read(await spring.ask("judge", "DELETE", f"/{a['id']}"))
    read(await spring.ask("judge", "POST", f"/{a['id']}/restore"))
    read(await decide(spring, await spring.kept(bonused), "approve"))
    read(await merge(spring, loser, await player(spring, "P1")))
    read(
        await ask(
            spring, "president", "PATCH", "/seasons/spring", {"rule_system": {"id": "sport-percent", "version": 1}}
        )
    )
    citizens, blacks = (sorted(tie["players"]) for tie in (await table(spring))["ties"])
    for how in ({"group": citizens, "draw": True}, {"group": blacks, "drawn": blacks[1:] + blacks[:1]}):
        read(await ask(spring, "chief_judge", "POST", "/seasons/spring/lots", how), 201)
    read(await merge(spring, await player(spring, "P9"), await newcomer(spring, "Zoe")))
    waits = deepcopy(red) | {"external_id": "d"}
    waits["seats"][0]["bonus"] = 0.7
    assert (await post(spring, ndjson([{**red, "external_id": "c"}, waits]), role="judge")).status_code == 200
    (c,) = read(await spring.ask("judge", "GET", "?status=counted&limit=1"))["items"]
    read(await spring.ask("president", "DELETE", f"/{c['id']}"))
    return spring


class _Undone(Exception):
    pass


@contextmanager
def forged(season: KeptSeason, *statements: str, **values: object) -> Iterator[tuple[Transaction, Season]]:
    """The season with rows changed by hand, within a transaction of which nothing is kept."""
    try:
        with season.database.write() as tx:
            for statement in statements:
                assert tx.execute(text(statement), values).rowcount, statement
            found = seasons.find(tx, season.club, season.slug)
            assert found
            yield tx, found
            raise _Undone
    except _Undone:
        pass


_COLUMNS = "opens, player_id, registered, role, team, result, outcome, stage, first_kill, played_on, points, lines"


def copied(where: str, revision: int, sign: str = "sign", season: str = "season_id") -> str:
    """A statement that puts copies of rows of the ledger under another revision."""
    return (
        f"INSERT INTO ledger (season_id, revision, game_id, seat, sign, {_COLUMNS}) "
        f"SELECT {season}, {revision}, game_id, seat, {sign}, {_COLUMNS} FROM ledger WHERE {where}"
    )
