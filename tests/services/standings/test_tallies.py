"""Tallies that catch up know what one that reads everything knows."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from itertools import count
from typing import Any, Final, NamedTuple, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, update

from app.repositories import journal
from app.repositories.database import Database, Transaction
from app.repositories.games import ledger
from app.repositories.games.ledger import Entry, Line, Seat
from app.repositories.journal import NewChange
from app.repositories.seasons import season_states, seasons
from app.repositories.seasons.seasons import Season
from app.repositories.tables import CHANGES, LEDGER, SEASONS
from app.scoring.tally import Tallies
from app.services.standings.cache import tallies as tallies_
from app.services.standings.cache.tallies import SeasonTallies, TalliesCache, tallies_at
from tests.repositories.kept import Kept, keep, new_season

LINES: Final = (
    Line("1", "win", "main", 2_000_000),
    Line("2", "first_kill_compensation", "main", 500_000),
    Line("3", "best_move", "extra", -250_000),
    Line("5", "penalty", "extra", -1_000_000),
    Line("5", "penalty", "extra", -1_000_000),
)
DAYS: Final = (date(2025, 3, 14), date(2025, 3, 15), date(2025, 4, 1))

Sums: TypeAlias = tuple[dict[str, int], dict[Any, dict[Any, tuple[int, dict[Any, tuple[int, int]]]]]]

_slugs = count()


class Played(NamedTuple):
    """Where the season's games stand: the revision of each one's entry, None when it is voided."""

    season: Season
    entered: dict[int, int | None]


@st.composite
def seatings(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A game's seats but for who sits there; small enough choices that players meet equal circumstances again."""
    outcome = draw(st.sampled_from(("red", "black", "draw")))
    stage = draw(st.sampled_from((None, "qualifying", "final")))
    day = draw(st.sampled_from(DAYS))
    killed = draw(st.integers(0, 3))
    return [
        {
            "seat": i + 1,
            "opens": i == 0,
            "player": player,
            "registered": draw(st.sampled_from((True, True, False))),
            "role": draw(st.sampled_from(("citizen", "don"))),
            "team": "red",
            "result": draw(st.sampled_from(("won", "lost", "draw"))),
            "outcome": outcome,
            "stage": stage,
            "first_kill": i == killed,
            "played_on": day,
            "lines": tuple(draw(st.lists(st.sampled_from(LINES), max_size=3))),
        }
        for i, player in enumerate(draw(st.permutations(range(6)))[:3])
    ]


steps = st.lists(
    st.one_of(
        st.tuples(st.just("submit"), seatings()),
        st.tuples(st.just("correct"), st.integers(0, 9), seatings()),
        st.tuples(st.just("void"), st.integers(0, 9)),
        st.tuples(st.just("read")),
    ),
    max_size=14,
)


def enter(tx: Transaction, kept: Kept, season: Season, game: int, seats: list[dict[str, Any]], revision: int) -> None:
    entries = [
        Entry(
            game,
            seat["seat"],
            seat["played_on"],
            Seat(kept.players[seat["player"]].id, *(seat[name] for name in Seat._fields[1:])),
            seat["lines"],
        )
        for seat in seats
    ]
    ledger.enter(tx, season.id, revision, entries)


def take(database: Database, kept: Kept, played: Played, step: tuple[Any, ...]) -> None:
    """Do to the ledger what submitting, correcting (a voided game too) and voiding do."""
    if step[0] == "submit":
        game = len(played.entered) + 1
    elif not played.entered:
        return
    else:
        game = step[1] % len(played.entered) + 1
    before = played.entered.get(game)
    if step[0] == "void" and before is None:
        return
    with database.write() as tx:
        revision = seasons.advance(tx, seasons.lock(tx, played.season.id))
        if before is not None:
            ledger.reverse(tx, played.season.id, game, entered=before, revision=revision)
        if step[0] != "void":
            enter(tx, kept, played.season, game, step[-1], revision)
    played.entered[game] = None if step[0] == "void" else revision


def sums(tallies: Tallies) -> Sums:
    """What is in the tallies, without what came and went again."""
    return (
        {outcome: games for outcome, games in tallies.outcomes.items() if games},
        {
            player: {
                cell: (found.games, {key: value for key, value in found.lines.items() if value != (0, 0)})
                for cell, found in tally.cells.items()
                if found.games
            }
            for player, tally in tallies.present().items()
        },
    )


@contextmanager
def caught_up(database: Database, fold: SeasonTallies, season_id: int) -> Iterator[Transaction]:
    with fold.lock, database.read() as tx:
        fold.catch_up(tx, season_states.by_id(tx, season_id))
        yield tx


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(script=steps)
def test_a_fold_that_catches_up_equals_one_that_sums_everything(database: Database, script: list[Any]) -> None:
    slug = f"s{next(_slugs)}"
    kept = keep(database, slug)
    played = Played(kept.season, {})
    fold = SeasonTallies()
    for step in script:
        if step[0] != "read":
            take(database, kept, played, step)
            continue
        with caught_up(database, fold, kept.season.id) as tx:
            cold = tallies_at(tx, kept.season.id, revision=fold.revision)
        assert sums(fold.tallies) == sums(cold)
    with caught_up(database, fold, kept.season.id) as tx:
        assert fold.revision == seasons.revision_of(tx, kept.season.id)
        assert sums(fold.tallies) == sums(tallies_at(tx, kept.season.id, revision=fold.revision))
    assert sum(fold.tallies.outcomes.values()) == sum(entered is not None for entered in played.entered.values())


def game(*players: int, **changed: Any) -> list[dict[str, Any]]:
    """Seats of citizens who won with a line of 2 points."""
    seat = {
        "registered": True, "role": "citizen", "team": "red", "result": "won", "outcome": "red", "stage": None,
        "first_kill": False, "played_on": DAYS[0], "lines": LINES[:1],
    }  # fmt: skip
    return [{"seat": i, "opens": i == 1, "player": player, **seat, **changed} for i, player in enumerate(players, 1)]


@pytest.fixture
def kept(database: Database) -> Kept:
    return keep(database)


def submit(
    database: Database, kept: Kept, number: int, seats: list[dict[str, Any]], at: datetime | None = None
) -> None:
    with database.write() as tx:
        revision = seasons.advance(tx, seasons.lock(tx, kept.season.id))
        enter(tx, kept, kept.season, number, seats, revision)
        if at is not None:
            journal.add(
                tx,
                NewChange(
                    action="x", target="x", at=at, key_id=None, role="x", season_id=kept.season.id, revision=revision
                ),
            )


def restore_empty(database: Database, kept: Kept) -> None:
    """The season as it was before any game."""
    with database.write() as tx:
        for table in (LEDGER, CHANGES):
            tx.execute(delete(table).where(table.c.season_id == kept.season.id))
        tx.execute(update(SEASONS).where(SEASONS.c.id == kept.season.id).values(revision=0))


@pytest.mark.parametrize("games_after", [1, 2, 3])
def test_a_revision_that_another_database_came_to_is_summed_up_anew(
    database: Database, kept: Kept, games_after: int
) -> None:
    moments = iter([datetime(2025, 3, 14, 12, 0, 0, microsecond, tzinfo=UTC) for microsecond in range(9)])
    for number in (1, 2):
        submit(database, kept, number, game(0, 1), next(moments))
    fold = SeasonTallies()
    with caught_up(database, fold, kept.season.id):
        assert fold.tallies.games == 2
    restore_empty(database, kept)
    for number in range(games_after):
        submit(database, kept, 3 + number, game(2, 3, outcome="black"), next(moments))
    with caught_up(database, fold, kept.season.id):
        assert {outcome: games for outcome, games in fold.tallies.outcomes.items() if games} == {"black": games_after}
        assert fold.tallies.present().keys() == {kept.players[2].id, kept.players[3].id}


def test_a_seat_that_was_not_registered_is_in_no_sum_and_its_game_counts(database: Database, kept: Kept) -> None:
    submit(database, kept, 1, game(0, 1, registered=False))
    submit(database, kept, 2, game(0))
    fold = SeasonTallies()
    with caught_up(database, fold, kept.season.id):
        assert fold.tallies.games == 2
        assert {player: tally.count() for player, tally in fold.tallies.present().items()} == {kept.players[0].id: 1}


def test_catching_up_reads_only_what_is_new(database: Database, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    submit(database, kept, 1, game(0, 1), datetime(2025, 3, 14, tzinfo=UTC))
    fold = SeasonTallies()
    with caught_up(database, fold, kept.season.id):
        pass
    submit(database, kept, 2, game(0))
    read: list[ledger.Row] = []

    def after(*args: Any, **kwargs: Any) -> list[ledger.Row]:
        read.extend(original(*args, **kwargs))
        return read

    original = ledger.after
    monkeypatch.setattr(ledger, "after", after)
    monkeypatch.setattr(tallies_, "tallies_at", lambda *_args, **_kwargs: pytest.fail("everything was read"))
    with caught_up(database, fold, kept.season.id):
        pass
    assert [(row.game_id, row.number) for row in read] == [(2, 1)]
    assert fold.tallies.games == 2


def test_a_fold_far_behind_is_summed_up_anew(database: Database, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    submit(database, kept, 1, game(0))
    fold = SeasonTallies()
    with caught_up(database, fold, kept.season.id):
        pass
    monkeypatch.setattr(tallies_, "MOST_ROWS", 3)
    monkeypatch.setattr(ledger, "after", lambda *_args, **_kwargs: pytest.fail("row by row"))
    submit(database, kept, 2, game(0, 1, 2, 3))
    with caught_up(database, fold, kept.season.id):
        assert fold.tallies.games == 2


def test_a_fold_ahead_of_its_season_is_summed_up_anew(database: Database, kept: Kept) -> None:
    submit(database, kept, 1, game(0))
    fold = SeasonTallies()
    with caught_up(database, fold, kept.season.id) as tx:
        later = season_states.by_id(tx, kept.season.id)
        fold.catch_up(tx, later._replace(season=later.season._replace(revision=7)))
    fold.tallies.count_game("black", 7)
    with caught_up(database, fold, kept.season.id):
        assert (fold.revision, fold.tallies.outcomes) == (1, {"red": 1})


def test_folds_forget_who_was_asked_for_longest_ago_when_they_hold_too_much(database: Database, kept: Kept) -> None:
    with database.write() as tx:
        others = [new_season(tx, kept.club, f"other-{n}") for n in range(3)]
    submit(database, kept, 1, game(0, 1))
    kept_folds = TalliesCache(most_cells=2)
    for season in (kept.season, *others):
        with kept_folds.of(season.id) as fold, database.read() as tx:
            fold.catch_up(tx, season_states.by_id(tx, season.id))
    assert len(kept_folds) == 4, "empty folds take nothing"
    for season in others[1:]:
        with database.write() as tx:
            revision = seasons.advance(tx, seasons.lock(tx, season.id))
            enter(tx, kept, season, 1, game(0, 1), revision)
        with kept_folds.of(season.id) as fold, database.read() as tx:
            fold.catch_up(tx, season_states.by_id(tx, season.id))
    assert len(kept_folds) == 1
    with kept_folds.of(others[2].id) as fold:
        assert fold.revision == 1


def test_a_fold_that_an_error_left_half_done_is_forgotten(database: Database, kept: Kept) -> None:
    submit(database, kept, 1, game(0))
    kept_folds = TalliesCache()
    with kept_folds.of(kept.season.id) as fold, database.read() as tx:
        fold.catch_up(tx, season_states.by_id(tx, kept.season.id))

    def fail() -> None:
        with kept_folds.of(kept.season.id) as fold:
            fold.tallies.count_game("red", 5)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with kept_folds.of(kept.season.id) as fold, database.read() as tx:
        fold.catch_up(tx, season_states.by_id(tx, kept.season.id))
        assert fold.tallies.games == 1


def test_tallies_as_of_a_day_and_at_a_revision_hold_only_that(database: Database, kept: Kept) -> None:
    for number, day in enumerate(DAYS, 1):
        submit(database, kept, number, game(0, played_on=day))
    days = (*DAYS, None)
    with database.read() as tx:
        games = {
            (revision, day): tallies_at(tx, kept.season.id, revision=revision, as_of=day).games
            for revision in (0, 2, 3)
            for day in days
        }
    expected = {0: (0, 0, 0, 0), 2: (1, 2, 2, 2), 3: (1, 2, 3, 3)}
    assert games == {
        (revision, day): counted
        for revision, by_day in expected.items()
        for day, counted in zip(days, by_day, strict=True)
    }
