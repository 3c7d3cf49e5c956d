"""Whom an unknown nickname may have meant."""

from datetime import UTC, datetime

import pytest

from app.repositories.clubs import clubs, players
from app.repositories.database import Database
from app.scoring.nickname import folded
from app.services.access import Caller
from app.services.clubs.players import KnownNicknames, enrol, resolve

NOON = datetime(2025, 3, 14, 12, tzinfo=UTC)
JUDGE = Caller(None, None, 1, "judge", "judge")


@pytest.fixture
def club(database: Database) -> clubs.Club:
    with database.write() as tx:
        return clubs.add(tx, slug="moscow", name="Moscow", timezone="Europe/Moscow", at=NOON)


def join(database: Database, club: clubs.Club, *nicknames: str) -> None:
    with database.write() as tx:
        enrol(tx, JUDGE, club, nicknames, registered=True, now=NOON)


@pytest.mark.parametrize(
    "written, meant",
    [
        ("Sahsa", "Sasha"),
        ("Saha", "Sasha"),
        ("SASHA!", "Sasha"),
        ("Sаshа", "Sasha"),  # both а are Cyrillic
        ("САТ", "CAT"),  # Cyrillic throughout
        ("Б0Б", "БОБ"),  # a zero
        ("Петр", "Пётр"),
        ("Dr Who", "Dr. Who"),
    ],
)
def test_a_close_spelling_is_suggested(database: Database, club: clubs.Club, written: str, meant: str) -> None:
    join(database, club, "Sasha", "CAT", "БОБ", "Пётр", "Dr. Who", "Zorro")
    with database.read() as tx:
        assert KnownNicknames(tx, club.id).near(written)[0] == meant


def test_nothing_is_suggested_where_nothing_is_close(database: Database, club: clubs.Club) -> None:
    join(database, club, "Sasha", "Zorro")
    with database.read() as tx:
        assert KnownNicknames(tx, club.id).near("Quentin") == []
        assert KnownNicknames(tx, club.id + 1).near("Sasha") == []


def test_an_old_nickname_suggests_the_current_one(database: Database, club: clubs.Club) -> None:
    join(database, club, "Sasha")
    with database.write() as tx:
        (sasha,) = resolve(tx, club.id, ["sasha"]).values()
        players.rename(tx, sasha, nickname="Alexander", folded=folded("Alexander"))
    with database.read() as tx:
        assert KnownNicknames(tx, club.id).near("Sahsa") == ["Alexander"]


def test_at_most_three_are_suggested_and_nobody_twice(database: Database, club: clubs.Club) -> None:
    join(database, club, *(f"Player {number}" for number in range(10)))
    with database.write() as tx:
        (first,) = resolve(tx, club.id, ["player 1"]).values()
        players.rename(tx, first, nickname="Player one", folded="player one")
    with database.read() as tx:
        suggested = KnownNicknames(tx, club.id).near("Player")
    assert len(suggested) == len(set(suggested)) == 3


def test_enrolling_makes_only_whom_nobody_knows(database: Database, club: clubs.Club) -> None:
    join(database, club, "Ann")
    with database.write() as tx:
        enrolled = enrol(tx, JUDGE, club, ["ANN", "Bob", "bob "], registered=False, now=NOON)
    assert {name: player.registered for name, player in enrolled.items()} == {"ann": True, "bob": False}
    with database.read() as tx:
        assert len(players.of_club(tx, club.id)) == 2
        assert resolve(tx, club.id, ["ann", "BOB", "carl"]) == enrolled
