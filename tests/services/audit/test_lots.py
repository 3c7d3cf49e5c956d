"""The audit names lots that were not drawn so, and lots that are lost."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text

from app.services.audit import audit_season
from tests.http.club import kept_app, kept_client  # noqa: F401  found by name
from tests.http.kept_season import KeptSeason, spring  # noqa: F401  found by name
from tests.services.audit.forging import forged, past  # noqa: F401  found by name

pytestmark = pytest.mark.anyio

STRANGER = "p_" + "0" * 18


def swapped(ids: list[str]) -> list[str]:
    return [ids[1], ids[0], *ids[2:]]


def estranged(ids: list[str]) -> list[str]:
    return sorted([STRANGER, *ids[1:]])


CASES: list[tuple[int, dict[str, Callable[[Any], Any]], str]] = [
    (9, {"drawn": swapped}, "order that the seed of revision 9 gives"),
    (9, {"drawn": swapped}, "lot of revision 9"),
    (9, {"seed": lambda _: "0" * 32}, "lot of revision 9"),
    (9, {"seed": lambda _: None}, "lot of revision 9"),
    (10, {"tied": swapped}, "group of the lot of revision 10"),
    (10, {"tied": lambda ids: [ids[0], *ids[:-1]]}, "group of the lot of revision 10"),
    (10, {"drawn": lambda ids: ids[:-1]}, "order of the lot of revision 10"),
    (10, {"drawn": swapped}, "lot of revision 10"),
    (10, {"tied": estranged, "drawn": estranged}, "group of the lot of revision 10"),
    (10, {"tied": estranged}, "order of the lot of revision 10"),
    (10, {"revision": lambda _: 3}, "lot of revision 3"),
    (10, {"revision": lambda _: 3}, "lot drawn under revision 10"),
    (11, {"drawn": swapped}, "lot of revision 11"),
    (11, {"revision": lambda _: 12}, "lot of revision 12"),
    (11, {"revision": lambda _: 12}, "lot of revision 10 recorded anew under 11"),
]


async def test_a_forged_lot_is_named(past: KeptSeason) -> None:  # noqa: F811
    missed = []
    for revision, forge, what in CASES:
        with forged(past) as (tx, season):
            one = text("SELECT id, tied, drawn, seed, revision FROM lots WHERE revision = :at")
            row = tx.execute(one, {"at": revision}).one()
            for name, by_hand in forge.items():
                before = row._mapping[name]
                after = json.dumps(by_hand(json.loads(before))) if name in ("tied", "drawn") else by_hand(before)
                assert after != before
                tx.execute(text(f"UPDATE lots SET {name} = :after WHERE id = :id"), {"after": after, "id": row.id})
            found = list(audit_season(tx, season))
        if what not in [one.what for one in found]:
            missed.append((revision, what, list(map(str, found))))
    assert missed == []


@pytest.mark.parametrize(
    "statement, what",
    [
        ("DELETE FROM lots WHERE revision = 9", "lot drawn under revision 9"),
        ("DELETE FROM lots WHERE revision = 11", "lot of revision 10 recorded anew under 11"),
        ("UPDATE lots SET drawn = '{' WHERE revision = 9", "lots"),
    ],
)
async def test_lots_that_are_lost_or_unreadable_are_named(
    past: KeptSeason,  # noqa: F811
    statement: str,
    what: str,
) -> None:
    with forged(past, statement) as (tx, season):
        assert [one.what for one in audit_season(tx, season)] == [what]
