"""Players are merged in every season of their club, also in one that comes to be at that very moment."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest

from app.repositories.clubs import clubs as club_rows
from app.repositories.clubs import merges
from app.repositories.clubs import players as people
from app.repositories.database import Database, Transaction
from app.repositories.games import games as game_rows
from app.repositories.seasons import seasons as season_rows
from app.scoring.game import Game
from app.services.access import Caller, identify
from app.services.audit import audit
from app.services.clubs import players
from app.services.games import submission
from app.services.seasons import player_changes, player_merging, seasons
from app.services.seasons.seasons import NewSeason, RequestedRules
from tests.http.conftest import RED_WON
from tests.http.kept_season import found

NOON = datetime(2025, 3, 14, 12, tzinfo=UTC)
WAIT = 60.0


class Club(NamedTuple):
    """A club in which P1b has played a game of the season spring, in P1's seat."""

    database: Database
    president: Caller
    ids: dict[str, str]
    """Public ids of P1 and P1b."""


@pytest.fixture
def club(database: Database) -> Club:
    founded = found(database)
    president = identify(database, founded.secrets["president"], admin_hash=None, now=NOON)
    with database.write() as tx:
        club = club_rows.by_slug(tx, "moscow")
        assert club
        players.enrol(tx, president, club, ["P1b"], registered=True, now=NOON)
        named = people.named(tx, club.id, ["p1", "p1b"])
    made = Club(database, president, {player.nickname: player.public_id for player in named.values()})
    play(made, "spring")
    return made


def play(club: Club, season: str, *others: str) -> None:
    """Red wins with P1b in seat 1 and ``others``, who may be new, after him."""
    game = deepcopy(RED_WON)
    for seat, nickname in zip(game["seats"], ("P1b", *others), strict=False):
        seat["player"] = nickname
    told = Game.read(game)
    with club.database.write() as tx:
        submission.submit(tx, club.president, "moscow", season, told, create_players=bool(others), now=NOON)


def make(club: Club, slug: str) -> None:
    """A new season."""
    with club.database.write() as tx:
        seasons.create(tx, club.president, "moscow", NewSeason(slug, slug, RequestedRules("maffamily")), NOON)


def merge(club: Club) -> None:
    with club.database.write() as tx:
        player_merging.merge(tx, club.president, "moscow", club.ids["P1b"], into=club.ids["P1"], now=NOON)


def rename(club: Club) -> None:
    with club.database.write() as tx:
        player_changes.change(tx, club.president, "moscow", club.ids["P1b"], values={"nickname": "Ann"}, now=NOON)


def in_first_seat(club: Club, slug: str) -> set[str]:
    """Who sits in the first seat of the games of a season."""
    with club.database.read() as tx:
        season = season_rows.find(tx, "moscow", slug)
        assert season
        seated = game_rows.seats(tx, [game.id for game in game_rows.each(tx, season.id)])
        numbers = {seat.player_id for seats in seated.values() for seat in seats if seat.seat == 1}
        return {player.nickname for player in people.by_ids(tx, numbers).values()}


def then_once(called: Callable[..., Any], then: Callable[[], None]) -> Callable[..., Any]:
    """``called``, but when it has answered for the first time something else is done."""
    waiting = [then]

    def calling(*args: Any, **options: Any) -> Any:
        answer = called(*args, **options)
        if waiting:
            waiting.pop()()
        return answer

    return calling


def test_a_season_made_while_players_are_merged_knows_the_survivor(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """The merge has looked for seasons and is not committed yet when another gets its first game."""
    played = threading.Event()
    made: list[Future[None]] = []

    def make_and_play() -> None:
        make(club, "autumn")
        play(club, "autumn")
        played.set()

    def while_merging() -> None:
        made.append(threads.submit(make_and_play))
        played.wait(1.0)  # whoever has to wait for the merge plays after it

    with ThreadPoolExecutor() as threads:
        monkeypatch.setattr(merges, "merge", then_once(merges.merge, while_merging))
        merge(club)
        made[0].result(WAIT)
    assert in_first_seat(club, "autumn") == in_first_seat(club, "spring") == {"P1"}
    assert list(audit(club.database)) == []


@pytest.mark.parametrize("done, known_as", [(merge, "P1"), (rename, "Ann")])
def test_a_season_made_before_the_club_is_locked_is_not_missed_and_nobody_waits_for_another_in_a_ring(
    club: Club, monkeypatch: pytest.MonkeyPatch, done: Callable[[Club], None], known_as: str
) -> None:
    """Once the seasons are locked another is made and played; its next game holds it and waits for the club."""
    if club.database.dialect == "sqlite":
        pytest.skip("a write excludes every other")
    lock, lock_all = club_rows.lock, season_rows.lock_all
    began, holds_season, club_is_locked = threading.Event(), threading.Event(), threading.Event()
    merging_thread = threading.current_thread()
    playing: list[Future[None]] = []

    def play_another() -> None:
        play(club, "autumn", "Zoe")  # for a newcomer the club is locked

    def between() -> None:
        make(club, "autumn")
        play(club, "autumn")
        began.set()
        playing.append(threads.submit(play_another))
        assert holds_season.wait(WAIT)

    def lock_in_turn(tx: Transaction, club_id: int) -> Any:
        if began.is_set() and threading.current_thread() is not merging_thread:
            holds_season.set()
            assert club_is_locked.wait(WAIT)
            return lock(tx, club_id)
        locked = lock(tx, club_id)
        if began.is_set():
            club_is_locked.set()
        return locked

    with ThreadPoolExecutor() as threads:
        monkeypatch.setattr(club_rows, "lock", lock_in_turn)
        monkeypatch.setattr(season_rows, "lock_all", then_once(lock_all, between))
        done(club)
        playing[0].result(WAIT)
    assert in_first_seat(club, "autumn") == in_first_seat(club, "spring") == {known_as}
    assert list(audit(club.database)) == []
