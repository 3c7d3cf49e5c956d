from datetime import date
from typing import Any

import pytest

from app.repositories import idempotency, journal
from app.repositories.clubs import clubs
from app.repositories.database import Database
from app.repositories.database.errors import NotUnique
from app.repositories.games import approvals, games
from app.repositories.games.approvals import Approval
from app.repositories.games.games import SeatedPlayer
from app.repositories.journal import NewChange
from app.repositories.seasons import seasons
from app.repositories.standings import lots
from tests.repositories.kept import NOON, Kept, keep, new_season, play, version_of, void


def test_a_season_is_found_at_its_clubs_address_only(database: Database) -> None:
    kept, other = keep(database), keep(database, "other")
    with database.write() as tx:
        assert seasons.find(tx, "club", "spring") == kept.season
        assert seasons.find_locked(tx, "club", "spring") == kept.season
        assert seasons.find(tx, "other", "spring") == other.season
        assert seasons.find(tx, "club", "autumn") is None
        assert seasons.find_locked(tx, "nowhere", "spring") is None
    assert (kept.season.revision, kept.season.club, kept.season.timezone) == (0, "club", "Europe/Kyiv")


def test_a_season_changes_its_words_but_not_into_anothers_address(database: Database) -> None:
    kept = keep(database)
    with database.write() as tx:
        new_season(tx, kept.club, "autumn")
        seasons.change(tx, kept.season.id, {"name": "Весна", "public": False, "ends_on": None})
        assert seasons.by_id(tx, kept.season.id) == kept.season._replace(name="Весна", public=False, ends_on=None)
    with pytest.raises(NotUnique) as clash, database.write() as tx:
        seasons.change(tx, kept.season.id, {"slug": "autumn"})
    assert clash.value.table == "seasons"


def test_a_season_remembers_which_rules_each_revision_followed(database: Database) -> None:
    kept = keep(database)
    with database.write() as tx:
        revision = seasons.advance(tx, seasons.lock(tx, kept.season.id), by=5)
        seasons.follow(tx, kept.season.id, revision=revision, rule_system="sport-percent", rule_version=2)
    with database.read() as tx:
        assert [seasons.rules_at(tx, kept.season.id, n) for n in (0, 4, 5, 99)] == [
            ("maffamily", 1), ("maffamily", 1), ("sport-percent", 2), ("sport-percent", 2),
        ]  # fmt: skip
        now = seasons.by_id(tx, kept.season.id)
    assert (now.rule_system, now.rule_version, now.revision) == ("sport-percent", 2, 5)


def test_a_closed_season_keeps_its_tables_until_it_is_reopened(database: Database) -> None:
    kept = keep(database)
    with database.write() as tx:
        seasons.close(tx, kept.season.id, revision=7, tables='{"rows":[]}', at=NOON)
        assert seasons.by_id(tx, kept.season.id).closed_at == NOON
        assert seasons.frozen(tx, kept.season.id) == seasons.FrozenSeason(7, '{"rows":[]}')
        seasons.reopen(tx, kept.season.id)
        assert seasons.by_id(tx, kept.season.id).closed_at is None
        assert seasons.frozen(tx, kept.season.id) is None
        seasons.close(tx, kept.season.id, revision=8, tables="{}", at=NOON)


def test_seasons_are_listed_newest_first_and_private_ones_apart(database: Database) -> None:
    kept = keep(database)
    with database.write() as tx:
        hidden = new_season(tx, kept.club, "hidden")
        seasons.change(tx, hidden.id, {"public": False})
        new_season(tx, kept.club, "autumn")
    with database.read() as tx:
        listed = {
            public: [
                season.slug for season in seasons.page(tx, kept.club.id, public=public, cursor=None, limit=9).items
            ]
            for public in (None, True, False)
        }
    assert listed == {None: ["autumn", "hidden", "spring"], True: ["autumn", "spring"], False: ["hidden"]}


def test_a_game_comes_back_with_its_version_and_seats(database: Database) -> None:
    kept = keep(database)
    game = play(database, kept, external_id="2025-03-14/1/2")
    assert (game.version, game.status, game.revision, game.entered) == (1, "counted", 1, 1)
    assert (game.played_on, game.created_by, game.created_at) == (date(2025, 3, 14), kept.key.id, NOON)
    assert game.current.facts == '{"outcome":"red"}'
    assert game.current.totals[6:8] == [(7, 2_000_000), (8, 0)]
    assert game.current.seats[0] == SeatedPlayer(1, kept.players[0].id, True)
    with database.read() as tx:
        assert games.by_external_id(tx, kept.season.id, "2025-03-14/1/2") == game
        assert games.by_ids(tx, [game.id, game.id + 1]) == {game.id: game}
        assert games.seats(tx, [game.id])[game.id] == game.current.seats


def test_a_game_is_not_found_in_another_season(database: Database) -> None:
    kept, other = keep(database), keep(database, "other")
    game = play(database, kept, external_id="x")
    with database.read() as tx:
        assert games.find(tx, other.season.id, game.public_id) is None
        assert games.by_external_id(tx, other.season.id, "x") is None


def test_an_external_id_is_unique_in_its_season_and_none_is_not(database: Database) -> None:
    kept, other = keep(database), keep(database, "other")
    play(database, kept, external_id="x")
    play(database, other, external_id="x")
    play(database, kept)
    play(database, kept)
    with pytest.raises(NotUnique) as clash:
        play(database, kept, external_id="x")
    assert (clash.value.table, clash.value.columns) == ("games", ("season_id", "external_id"))
    with database.read() as tx:
        assert seasons.revision_of(tx, kept.season.id) == 3


def test_every_version_of_a_game_stays_and_seats_follow_the_last(database: Database) -> None:
    kept = keep(database)
    game = play(database, kept, external_id="x")
    swapped = kept._replace(players=[kept.players[1], kept.players[0], *kept.players[2:]])
    with database.write() as tx:
        revision = seasons.advance(tx, seasons.lock(tx, kept.season.id))
        games.rewrite(
            tx, game, external_id="y", played_on=date(2025, 3, 15), stage=None, entered=revision,
            version=version_of(swapped, revision, number=2, action="corrected")._replace(reason="seats mixed up"),
        )  # fmt: skip
    with database.read() as tx:
        now = games.find(tx, kept.season.id, game.public_id)
        first, second = games.versions(tx, game.id)
        seats = games.seats(tx, [game.id])[game.id]
    assert now
    assert (now.version, now.external_id, now.played_on, now.entered) == (2, "y", date(2025, 3, 15), 2)
    assert now.current == second
    assert (second.action, second.reason, second.revision) == ("corrected", "seats mixed up", 2)
    assert first == game.current
    assert [seat.player_id for seat in seats[:2]] == [kept.players[1].id, kept.players[0].id]


def test_games_are_listed_last_played_first_across_pages(database: Database) -> None:
    kept = keep(database)
    made = [play(database, kept, on=date(2025, 3, day)) for day in (10, 12, 11, 12, 9)]
    expected = [made[n].id for n in (3, 1, 2, 0, 4)]
    seen: list[int] = []
    cursor = None
    with database.read() as tx:
        while True:
            listed, cursor = games.page(tx, kept.season.id, cursor=cursor, limit=2)
            seen += [game.id for game in listed]
            if cursor is None:
                break
    assert seen == expected


def test_a_page_that_holds_the_last_game_has_no_next(database: Database) -> None:
    kept = keep(database)
    play(database, kept)
    play(database, kept)
    with database.read() as tx:
        assert games.page(tx, kept.season.id, cursor=None, limit=2).next_cursor is None
        assert games.page(tx, kept.season.id, cursor=None, limit=1).next_cursor


def test_games_are_filtered_by_player_span_and_status(database: Database) -> None:
    kept = keep(database)
    with_nine = kept._replace(players=kept.players[:9])
    first, second, third = (
        play(database, one, on=date(2025, 3, day)) for one, day in ((kept, 10), (with_nine, 11), (kept, 12))
    )
    void(database, kept, third)

    def listed(**filters: object) -> list[int]:
        with database.read() as tx:
            found = games.page(tx, kept.season.id, cursor=None, limit=9, **filters)  # type: ignore[arg-type]
        return [game.id for game in found.items]

    assert listed(player_id=kept.players[9].id) == [third.id, first.id]
    assert listed(since=date(2025, 3, 11)) == [third.id, second.id]
    assert listed(until=date(2025, 3, 11)) == [second.id, first.id]
    assert listed(statuses=["voided"]) == [third.id]
    assert listed(statuses=["counted", "voided"], since=date(2025, 3, 11), until=date(2025, 3, 11)) == [second.id]


def submit_pending(database: Database, kept: Kept) -> int:
    with database.write() as tx:
        revision = seasons.advance(tx, seasons.lock(tx, kept.season.id))
        number, _ = games.add(
            tx, season_id=kept.season.id, external_id=None, played_on=date(2025, 3, 1), stage=None, entered=None,
            version=version_of(kept, revision, status="pending"),
        )  # fmt: skip
        approvals.add(tx, number, [Approval("4", 2, "president", 600_000, "pending")])
    return number


def test_pending_games_queue_in_the_order_they_came(database: Database) -> None:
    kept = keep(database)
    with database.read() as tx:
        assert not games.any_at_all(tx, kept.season.id)
    play(database, kept)
    with database.read() as tx:
        assert games.any_at_all(tx, kept.season.id)
        assert not games.any_pending(tx, kept.season.id)
    waiting = [submit_pending(database, kept) for _ in range(3)]
    with database.read() as tx:
        assert games.any_pending(tx, kept.season.id)
        first = games.pending(tx, kept.season.id, cursor=None, limit=2)
        rest = games.pending(tx, kept.season.id, cursor=first.next_cursor, limit=2)
        assert [game.id for game in first.items + rest.items] == waiting
        assert rest.next_cursor is None
        assert games.count_by_status(tx, kept.season.id) == {"counted": 1, "pending": 3}


def test_a_decision_reaches_only_what_waits_for_that_role(database: Database) -> None:
    kept = keep(database)
    game = submit_pending(database, kept)
    pending = [
        Approval("4", 2, "president", 600_000, "pending"),
        Approval("5", 3, "chief_judge", -1_000_000, "pending"),
    ]
    with database.write() as tx:
        approvals.replace(tx, game, pending)
        decided = approvals.decide(
            tx, game, deciders=["chief_judge"], state="approved", key_id=kept.key.id, role="chief_judge", at=NOON,
            note="seen",
        )  # fmt: skip
        assert decided == 1
        assert approvals.of_games(tx, [game, game + 1]) == {
            game: [
                pending[0],
                pending[1]._replace(
                    state="approved", decided_by=kept.key.id, decided_role="chief_judge", at=NOON, note="seen"
                ),
            ],
            game + 1: [],
        }


def test_every_game_of_a_season_is_walked_through_in_order(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "_AT_ONCE", 2)
    kept = keep(database)
    made = [play(database, kept) for _ in range(4)]
    play(database, keep(database, "other"))
    with database.read() as tx:
        assert list(games.each(tx, kept.season.id)) == made


def test_changes_are_told_in_order_and_within_their_season(database: Database) -> None:
    kept = keep(database)
    with database.write() as tx:
        for revision in (1, 2, 3):
            journal.add(
                tx,
                NewChange(
                    action="submitted",
                    target=f"g_{revision}",
                    at=NOON,
                    key_id=kept.key.id,
                    role="judge",
                    club_id=kept.club.id,
                    season_id=kept.season.id,
                    revision=revision,
                    detail='{"n":1}',
                ),
            )
        journal.add(
            tx, NewChange(action="renamed", target="p_1", at=NOON, key_id=None, role="admin", club_id=kept.club.id)
        )
    with database.read() as tx:
        assert [change.target for change in journal.after(tx, kept.season.id, 1, limit=5)] == ["g_2", "g_3"]
        assert [change.target for change in journal.after(tx, kept.season.id, 0, limit=1)] == ["g_1"]
        page = journal.page(tx, kept.club.id, cursor=None, limit=3)
        assert [change.target for change in page.items] == ["p_1", "g_3", "g_2"]
        last = journal.page(tx, kept.club.id, cursor=page.next_cursor, limit=3)
        assert [(change.target, change.detail) for change in last.items] == [("g_1", '{"n":1}')]


def test_lots_are_drawn_once_for_a_group_in_any_order(database: Database) -> None:
    kept = keep(database)
    draw: dict[str, Any] = {"seed": "s", "key_id": kept.key.id, "role": "president", "at": NOON}
    with database.write() as tx:
        lot = lots.add(tx, kept.season.id, tied=["p_b", "p_a"], drawn=["p_b", "p_a"], revision=4, **draw)
        lots.add(tx, kept.season.id, tied=["p_a", "p_b", "p_c"], drawn=["p_c", "p_a", "p_b"], revision=5, **draw)
        assert lot.tied == ("p_a", "p_b")
        assert lots.of_season(tx, kept.season.id, revision=4) == [lot]
        assert len(lots.of_season(tx, kept.season.id)) == 2
    with pytest.raises(NotUnique) as clash, database.write() as tx:
        lots.add(tx, kept.season.id, tied=["p_a", "p_b"], drawn=["p_a", "p_b"], revision=6, **draw)
    assert clash.value.table == "lots"


def test_an_answer_is_given_again_for_a_day(database: Database) -> None:
    kept = keep(database)
    request = idempotency.Request(kept.key.id, "POST", "/v1/clubs/club/seasons/spring/games", "abc")
    with database.write() as tx:
        assert idempotency.claim(tx, request, body_hash="h", at=NOON) is None
        idempotency.complete(tx, request, status=201, headers={"ETag": '"1"'}, body=b'{"id":1}')
    answer = idempotency.Answer("h", 201, {"ETag": '"1"'}, b'{"id":1}')
    with database.write() as tx:
        later = NOON + idempotency.STORED_FOR
        assert idempotency.claim(tx, request, body_hash="other", at=NOON) == answer
        assert idempotency.claim(tx, request._replace(path="/v1/clubs"), body_hash="h", at=NOON) is None
        assert idempotency.claim(tx, request._replace(key_id=0), body_hash="h", at=NOON) is None
        assert idempotency.claim(tx, request, body_hash="new", at=later) is None
        idempotency.complete(tx, request, status=200, headers={}, body=b"")
        assert idempotency.claim(tx, request, body_hash="new", at=later) == idempotency.Answer("new", 200, {}, b"")
        assert idempotency.purge(tx, later) == 2
        assert idempotency.claim(tx, request, body_hash="new", at=later) == idempotency.Answer("new", 200, {}, b"")


def test_a_request_that_failed_was_never_claimed(database: Database) -> None:
    kept = keep(database)
    request = idempotency.Request(kept.key.id, "POST", "/v1/clubs", "abc")

    def fail() -> None:
        with database.write() as tx:
            idempotency.claim(tx, request, body_hash="h", at=NOON)
            clubs.add(tx, slug="club", name="taken", timezone="UTC", at=NOON)

    with pytest.raises(NotUnique):
        fail()
    with database.write() as tx:
        assert idempotency.claim(tx, request, body_hash="h", at=NOON) is None
