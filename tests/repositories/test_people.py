"""Clubs, keys, players and merges."""

from datetime import UTC, date, datetime, timedelta

import pytest

from app.repositories.clubs import clubs, keys, merges, players
from app.repositories.database import Database
from app.repositories.database.errors import NotUnique
from app.repositories.games import games, ledger
from app.repositories.seasons import seasons
from tests.repositories.kept import NOON, Kept, entries, in_force, keep, new_season, play, version_of, void


def test_a_club_is_found_by_its_slug_and_can_move(database: Database) -> None:
    kept = keep(database)
    with database.write() as tx:
        assert clubs.lock(tx, kept.club.id) == kept.club
        clubs.change(tx, kept.club.id, {"slug": "moved", "name": "Клуб"})
        clubs.change(tx, kept.club.id, {})
    with database.read() as tx:
        assert clubs.by_slug(tx, "club") is None
        assert clubs.by_slug(tx, "moved") == kept.club._replace(slug="moved", name="Клуб")


def test_moments_come_back_to_the_microsecond_and_in_utc(database: Database) -> None:
    local = datetime.fromisoformat("1969-12-31T23:59:59.999999+03:00")
    with database.write() as tx:
        clubs.add(tx, slug="old", name="Old", timezone="UTC", at=local)
    with database.read() as tx:
        club = clubs.by_slug(tx, "old")
    assert club
    assert club.created_at == local
    assert club.created_at.tzinfo is UTC


def test_a_key_is_found_by_its_prefix_and_within_its_club_only(database: Database) -> None:
    kept, other = keep(database), keep(database, "other")
    with database.read() as tx:
        assert keys.by_prefix(tx, "mf_club") == kept.key
        assert keys.by_prefix(tx, "mf_") is None
        assert keys.by_public_id(tx, kept.club.id, kept.key.public_id) == kept.key
        assert keys.by_public_id(tx, other.club.id, kept.key.public_id) is None


def test_a_key_opens_until_it_expires_or_is_revoked(database: Database) -> None:
    kept = keep(database)
    with database.write() as tx:
        brief = keys.add(
            tx, club_id=kept.club.id, role="president", name="brief", prefix="mf_brief", secret_hash="1", at=NOON,
            expires_at=NOON + timedelta(hours=1),
        )  # fmt: skip
        assert brief.opens_at(NOON)
        assert not brief.opens_at(NOON + timedelta(hours=1))
        assert keys.presidents(tx, kept.club.id, NOON) == 2
        assert keys.presidents(tx, kept.club.id, NOON + timedelta(hours=1)) == 1
        keys.revoke(tx, brief.id, NOON)
        keys.revoke(tx, brief.id, NOON + timedelta(days=1))
    with database.read() as tx:
        revoked = keys.by_prefix(tx, "mf_brief")
        assert revoked == brief._replace(revoked_at=NOON)
        assert not revoked.opens_at(NOON)
        assert keys.presidents(tx, kept.club.id, NOON) == 1
        assert [key.name for key in keys.page(tx, kept.club.id, cursor=None, limit=9).items] == ["first"]


def test_the_last_use_of_a_key_is_written_once_a_minute(database: Database) -> None:
    kept = keep(database)
    noted = []
    for seconds in (0, 59, 60, 61):
        with database.write() as tx:
            keys.note_use(tx, kept.key.id, NOON + timedelta(seconds=seconds))
        with database.read() as tx:
            key = keys.by_prefix(tx, kept.key.prefix)
        assert key
        assert key.last_used_at
        noted.append((key.last_used_at - NOON).seconds)
    assert noted == [0, 0, 60, 60]


def test_the_admins_key_is_the_newest_one_without_a_club(database: Database) -> None:
    keep(database)
    with database.write() as tx:
        assert keys.admin(tx) is None
        for prefix in ("a1", "a2"):
            keys.add(tx, club_id=None, role="admin", name="admin", prefix=prefix, secret_hash="0", at=NOON)
    with database.write() as tx:
        admin = keys.admin(tx)
        assert admin
        assert admin.prefix == "a2"
        keys.revoke(tx, admin.id, NOON)
        older = keys.admin(tx)
        assert older
        assert older.prefix == "a1"


def test_nicknames_mean_players_of_their_club_only(database: Database) -> None:
    kept, other = keep(database), keep(database, "other")
    with database.read() as tx:
        found = players.named(tx, kept.club.id, ["p1", "p2", "nobody"])
        assert found == {"p1": kept.players[0], "p2": kept.players[1]}
        assert players.named(tx, kept.club.id, []) == {}
        assert players.by_public_id(tx, other.club.id, kept.players[0].public_id) is None
        ids = [kept.players[0].public_id, other.players[0].public_id, "p_none"]
        assert players.by_public_ids(tx, kept.club.id, ids) == {kept.players[0].public_id: kept.players[0]}


def test_thousands_of_nicknames_are_made_and_found(database: Database) -> None:
    kept = keep(database)
    with database.write() as tx:
        made = players.add(
            tx, kept.club.id, [players.Newcomer(f"N{n}", f"n{n}", False, None) for n in range(2500)], NOON
        )
        assert players.named(tx, kept.club.id, [f"n{n}" for n in range(2500)]) == made
        assert len(players.by_ids(tx, [player.id for player in made.values()])) == 2500


def test_a_nickname_that_means_somebody_cannot_be_given_again(database: Database) -> None:
    kept = keep(database)
    with pytest.raises(NotUnique) as clash, database.write() as tx:
        players.add(tx, kept.club.id, [players.Newcomer("P 1", "p1", True, None)], NOON)
    assert clash.value.table == "nicknames"
    with pytest.raises(NotUnique) as clash, database.write() as tx:
        players.rename(tx, kept.players[0], nickname="P2", folded="p2")
    assert clash.value.table == "nicknames"


def test_an_old_nickname_stays_an_alias_and_can_be_taken_back(database: Database) -> None:
    kept = keep(database)
    player = kept.players[0]
    with database.write() as tx:
        players.rename(tx, player, nickname="Nova", folded="nova")
        assert players.named(tx, kept.club.id, ["p1", "nova"]).keys() == {"p1", "nova"}
        assert players.aliases(tx, [player.id, kept.players[1].id]) == {player.id: ["P1"]}
        assert ("p1", "Nova") in players.known_as(tx, kept.club.id)
    with database.write() as tx:
        players.rename(tx, player, nickname="p1", folded="p1")  # his own alias, spelt anew
        assert players.by_ids(tx, [player.id])[player.id].nickname == "p1"
        assert players.aliases(tx, [player.id]) == {player.id: ["Nova"]}


def test_registration_keeps_its_day(database: Database) -> None:
    kept = keep(database)
    player = kept.players[0]
    with database.write() as tx:
        players.register(tx, player.id, registered=False, on=None)
        assert players.by_ids(tx, [player.id]) == {player.id: player._replace(registered=False)}
        players.register(tx, player.id, registered=True, on=date(2025, 4, 1))
        assert players.of_club(tx, kept.club.id)[player.id].registered_on == date(2025, 4, 1)


def with_twin(database: Database, kept: Kept) -> tuple[Kept, players.Player]:
    """The same club with "p1b" sitting in the seat of "p1"."""
    with database.write() as tx:
        twin = players.add(tx, kept.club.id, [players.Newcomer("P1b", "p1b", True, None)], NOON)["p1b"]
    return kept._replace(players=[twin, *kept.players[1:]]), twin


def merge(database: Database, kept: Kept, loser: players.Player, survivor: players.Player) -> dict[int, int]:
    with database.write() as tx:
        locked = {season.id: season for season in seasons.lock_all(tx, kept.club.id)}
        clubs.lock(tx, kept.club.id)
        revisions = {each: seasons.advance(tx, locked[each]) for each in merges.open_seasons_of(tx, loser.id)}
        merges.merge(tx, loser=loser.id, survivor=survivor.id)
        for season_id, revision in revisions.items():
            merges.follow(tx, season_id, revision)
    return revisions


def test_a_merged_players_games_count_for_the_survivor_from_a_revision_on(database: Database) -> None:
    kept = keep(database)
    survivor = kept.players[0]
    other_self, loser = with_twin(database, kept)
    mine, his = play(database, kept), play(database, other_self)
    with database.read() as tx:
        assert merges.sat_together(tx, loser.id, survivor.id) == []
        assert merges.sat_together(tx, loser.id, kept.players[1].id) == [his.id]
    revisions = merge(database, kept, loser, survivor)
    assert revisions == {kept.season.id: 3}
    with database.read() as tx:
        assert [one.game_id for one in ledger.of_player(tx, kept.season.id, survivor.id)] == [mine.id, his.id]
        assert ledger.of_player(tx, kept.season.id, loser.id) == []
        assert [one.game_id for one in ledger.of_player(tx, kept.season.id, loser.id, revision=2)] == [his.id]
        assert games.seats(tx, [his.id])[his.id][0].player_id == survivor.id
        assert games.versions(tx, his.id)[0].seats[0].player_id == loser.id
        assert players.named(tx, kept.club.id, ["p1b"])["p1b"].id == survivor.id
        assert players.by_ids(tx, [loser.id])[loser.id].merged_into == survivor.id
        assert loser.id not in {one.id for one in players.page(tx, kept.club.id, cursor=None, limit=99).items}
        assert len(in_force(tx, kept.season.id)) == 20


def test_a_game_is_voided_by_its_entry_after_a_merge(database: Database) -> None:
    kept = keep(database)
    other_self, loser = with_twin(database, kept)
    his = play(database, other_self)
    merge(database, kept, loser, kept.players[0])
    with database.read() as tx:
        moved = games.find(tx, kept.season.id, his.public_id)
    assert moved
    assert moved.entered == 2
    void(database, kept, moved)
    with database.read() as tx:
        assert in_force(tx, kept.season.id) == []


def test_who_was_merged_into_the_loser_is_merged_into_the_survivor(database: Database) -> None:
    kept = keep(database)
    first, second, third = kept.players[:3]
    merge(database, kept, first, second)
    merge(database, kept, second, third)
    with database.read() as tx:
        found = players.by_ids(tx, [first.id, second.id])
        assert {player.merged_into for player in found.values()} == {third.id}
        assert players.named(tx, kept.club.id, ["p1"])["p1"].id == third.id


def test_a_closed_season_follows_merges_when_it_is_reopened(database: Database) -> None:
    kept = keep(database)
    other_self, loser = with_twin(database, kept)
    his = play(database, other_self)
    with database.write() as tx:
        seasons.close(tx, kept.season.id, revision=1, tables="{}", at=NOON)
    assert merge(database, kept, loser, kept.players[0]) == {}
    assert merge(database, kept, kept.players[1], kept.players[2]) == {}
    with database.write() as tx:
        assert ledger.of_player(tx, kept.season.id, loser.id)
        assert merges.lags(tx, kept.season.id)
        seasons.reopen(tx, kept.season.id)
        revision = seasons.advance(tx, seasons.lock(tx, kept.season.id))
        merges.follow(tx, kept.season.id, revision)
        assert not merges.lags(tx, kept.season.id)
        assert ledger.of_player(tx, kept.season.id, loser.id) == []
        assert [one.game_id for one in ledger.of_player(tx, kept.season.id, kept.players[0].id)] == [his.id]
        assert [one.number for one in ledger.of_player(tx, kept.season.id, kept.players[2].id)] == [2, 3]


def test_a_merge_leaves_other_seasons_of_the_loser_out_of_the_first(database: Database) -> None:
    kept = keep(database)
    with database.write() as tx:
        autumn = new_season(tx, kept.club, "autumn")
    other_self, loser = with_twin(database, kept)
    in_autumn = other_self._replace(season=autumn)
    play(database, kept)
    with database.write() as tx:
        revision = seasons.advance(tx, seasons.lock(tx, autumn.id))
        number, _ = games.add(
            tx, season_id=autumn.id, external_id=None, played_on=date(2025, 9, 1), stage=None, entered=None,
            version=version_of(in_autumn, revision, status="pending"),
        )  # fmt: skip
    assert entries(in_autumn, number, date(2025, 9, 1))[0].seat.player_id == loser.id
    assert merge(database, kept, loser, kept.players[0]) == {autumn.id: 2}
