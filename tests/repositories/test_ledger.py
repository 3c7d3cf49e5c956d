from collections import Counter
from collections.abc import Iterable
from datetime import date

from app.repositories.database import Database
from app.repositories.games import ledger
from app.repositories.seasons import seasons
from app.repositories.tables import LEDGER
from tests.repositories.kept import WIN, in_force, keep, play, void


def test_rows_come_back_as_they_were_entered(database: Database) -> None:
    kept = keep(database)
    game = play(database, kept)
    with database.read() as tx:
        first, *_, last = ledger.after(tx, kept.season.id, 0)
    assert first == ledger.Row(
        revision=1,
        game_id=game.id,
        number=1,
        sign=1,
        played_on=date(2025, 3, 14),
        seat=ledger.Seat(
            player_id=kept.players[0].id,
            registered=True,
            role="citizen",
            team="red",
            result="won",
            outcome="red",
            stage=None,
            first_kill=True,
            opens=True,
        ),
        points=2_000_000,
        lines=(WIN,),
    )
    assert (last.number, last.seat.opens, last.points, last.lines) == (10, False, 0, ())


def test_only_the_rows_after_a_revision_are_read(database: Database) -> None:
    kept = keep(database)
    games = [play(database, kept) for _ in range(3)]
    with database.read() as tx:
        assert {row.game_id for row in ledger.after(tx, kept.season.id, 1)} == {games[1].id, games[2].id}
        assert {row.game_id for row in ledger.after(tx, kept.season.id, 1, up_to=2)} == {games[1].id}
        assert ledger.after(tx, kept.season.id, 3) == []


def test_a_season_sees_no_rows_of_another(database: Database) -> None:
    kept, other = keep(database), keep(database, "other")
    play(database, other)
    with database.read() as tx:
        assert ledger.after(tx, kept.season.id, 0) == []
        assert list(ledger.sums(tx, kept.season.id)) == []


def test_a_voided_game_leaves_both_its_rows_and_no_sum(database: Database) -> None:
    kept = keep(database)
    game = play(database, kept)
    revision = void(database, kept, game)
    with database.read() as tx:
        rows = ledger.after(tx, kept.season.id, 0)
        assert len(rows) == 20
        assert [row._replace(revision=1, sign=1) for row in rows[10:]] == rows[:10]
        assert {(row.revision, row.sign) for row in rows[10:]} == {(revision, -1)}
        assert list(ledger.sums(tx, kept.season.id)) == []
        assert in_force(tx, kept.season.id) == []


def test_a_table_as_of_an_earlier_revision_still_has_the_voided_game(database: Database) -> None:
    kept = keep(database)
    void(database, kept, play(database, kept))
    with database.read() as tx:
        assert sum(one.times for one in ledger.sums(tx, kept.season.id, revision=1)) == 10
        assert len(in_force(tx, kept.season.id, revision=1)) == 10


def test_equal_rows_are_summed_and_days_cut(database: Database) -> None:
    kept = keep(database)
    for day in (14, 14, 15):
        play(database, kept, on=date(2025, 3, day))
    with database.read() as tx:
        sums = list(ledger.sums(tx, kept.season.id))
        earlier = list(ledger.sums(tx, kept.season.id, as_of=date(2025, 3, 14)))
    assert len(sums) == 10
    assert {one.times for one in sums} == {3}
    assert {one.times for one in earlier} == {2}
    assert [(one.seat.player_id, one.lines) for one in sums if one.seat.opens] == [(kept.players[0].id, (WIN,))]


def test_a_players_entries_come_in_the_order_played(database: Database) -> None:
    kept = keep(database)
    later, earlier = (play(database, kept, on=date(2025, 3, day)) for day in (15, 14))
    gone = play(database, kept, on=date(2025, 3, 13))
    void(database, kept, gone)
    player = kept.players[2].id
    with database.read() as tx:
        mine = ledger.of_player(tx, kept.season.id, player)
        then = ledger.of_player(tx, kept.season.id, player, revision=3)
    assert [(one.game_id, one.number, one.points, one.times) for one in mine] == [
        (earlier.id, 3, 2_000_000, 1),
        (later.id, 3, 2_000_000, 1),
    ]
    assert [one.game_id for one in then] == [gone.id, earlier.id, later.id]


def test_lines_keep_their_words_and_negative_points(database: Database) -> None:
    kept = keep(database)
    line = ledger.Line("5", "penalty", "экстра", -(10**15))
    with database.write() as tx:
        revision = seasons.advance(tx, seasons.lock(tx, kept.season.id))
        seat = ledger.Seat(kept.players[0].id, False, "don", "black", "lost", "red", "final", False, True)
        entry = ledger.Entry(1, 1, date(2025, 3, 14), seat, (line, WIN))
        ledger.enter(tx, kept.season.id, revision, [entry])
    with database.read() as tx:
        (row,) = ledger.after(tx, kept.season.id, 0)
    assert row.lines == (line, WIN)
    assert row.points == 2_000_000 - 10**15
    assert (row.seat.registered, row.seat.stage) == (False, "final")


def added_up(sums: Iterable[ledger.Sum]) -> Counter[tuple[object, ...]]:
    counts: Counter[tuple[object, ...]] = Counter()
    for seat, lines, times in sums:
        counts[seat, lines] += times
    return Counter({seat: times for seat, times in counts.items() if times})


def test_kept_sums_give_the_same_table_at_every_revision_and_day(database: Database) -> None:
    kept = keep(database)
    made = [play(database, kept, on=date(2025, 3, day)) for day in (14, 15, 16)]
    with database.write() as tx:
        ledger.store_sums(tx, kept.season.id, seasons.lock(tx, kept.season.id).revision)
    void(database, kept, made[1])
    play(database, kept)
    with database.write() as tx:
        for revision in (None, 0, 2, 3, 4, 5):
            expected = added_up(ledger.sums_of_rows(tx, kept.season.id, up_to=revision))
            assert added_up(ledger.sums(tx, kept.season.id, revision=revision)) == expected
        assert {one.times for one in ledger.sums(tx, kept.season.id, as_of=date(2025, 3, 15))} == {2}
        ledger.store_sums(tx, kept.season.id, seasons.lock(tx, kept.season.id).revision)
        assert {one.times for one in ledger.sums(tx, kept.season.id)} == {3}
        assert added_up(ledger.sums(tx, kept.season.id)) == added_up(ledger.sums_of_rows(tx, kept.season.id))


def test_kept_sums_spare_reading_what_came_before(database: Database) -> None:
    kept = keep(database)
    play(database, kept)
    with database.write() as tx:
        ledger.store_sums(tx, kept.season.id, 1)
        tx.execute(LEDGER.delete())
        assert sum(one.times for one in ledger.sums(tx, kept.season.id)) == 10
        assert list(ledger.sums_of_rows(tx, kept.season.id)) == []
