"""Delivering to webhooks: at least once, in order, with growing pauses, whoever is killed or hangs."""

import asyncio
import random
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import anyio
import pytest

from app.repositories.clubs import webhook_deliveries, webhooks
from app.repositories.database import Database
from app.repositories.tables import WEBHOOK_EVENTS
from app.scoring.game import Game
from app.services.access import Caller, identify
from app.services.clubs.webhooks import deliveries, outbox, settings
from app.services.clubs.webhooks.deliveries import LEASE, PATIENCE, PAUSES
from app.services.clubs.webhooks.sending import Outcome
from app.services.games import submission
from tests.http.kept_season import found
from tests.processes.running import any_game
from tests.services.clubs.webhooks.delivering import NOBODY, REFUSED, TAKEN, Desk, Message

pytestmark = pytest.mark.anyio

URL = "https://bot.example/"
PATIENCE_SECONDS = 30
SEASON = ("moscow", "spring")


class Club:
    """A club with a season, whose games are told to webhooks."""

    def __init__(self, database: Database) -> None:
        self.desk = Desk(database)
        self.database = database
        self.games = 0
        secret = found(database).secrets["president"]
        self.president: Caller = identify(database, secret, admin_hash=None, now=self.desk.clock())

    def hook(self, url: str = URL) -> str:
        """A new webhook's public id."""
        with self.database.write() as tx:
            now = self.desk.clock()
            made = settings.create(tx, self.president, "moscow", url=url, types=None, name=None, private=False, now=now)
        return made.webhook.public_id

    def play(self, times: int = 1) -> None:
        """Submit games."""
        for _ in range(times):
            self.games += 1
            with self.database.write() as tx:
                game = Game.read(any_game(self.games))
                submission.submit(tx, self.president, *SEASON, game, create_players=False, now=self.desk.clock())

    def webhook(self, id: str) -> webhooks.Webhook:
        """As it is."""
        with self.database.read() as tx:
            return settings.get(tx, self.president, "moscow", id)

    def states(self, id: str) -> dict[int, str]:
        """What became of each event, by its sequence number."""
        with self.database.read() as tx:
            items = deliveries.page(tx, self.president, "moscow", id, cursor=None, limit=200).items
        return {one.sequence: one.state for one in items}

    def next_at(self, id: str) -> datetime:
        """When the newest event is tried next."""
        with self.database.read() as tx:
            (newest,) = deliveries.page(tx, self.president, "moscow", id, cursor=None, limit=1).items
        assert newest.next_at
        return newest.next_at

    def change(self, id: str, **values: Any) -> None:
        """Change settings."""
        with self.database.write() as tx:
            now = self.desk.clock()
            settings.change(tx, self.president, "moscow", id, values=values, private=False, now=now)


@pytest.fixture
def club(database: Database) -> Club:
    return Club(database)


async def test_events_are_sent_once_in_the_order_of_the_seasons_revisions(club: Club) -> None:
    club.hook()
    club.play(12)
    got = await club.desk.settle()
    assert [message.sequence for message in got] == list(range(1, 13))
    assert [message.told["data"]["revision"] for message in got] == list(range(1, 13))
    assert len({message.headers["webhook-id"] for message in got}) == 12
    assert await club.desk.settle() == []


async def test_two_processes_send_nothing_twice(club: Club) -> None:
    for number in range(5):
        club.hook(f"{URL}{number}")
    others = [club.desk.another() for _ in range(3)]
    club.play(10)
    club.desk.clock.pass_by(seconds=5)
    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            for one in (club.desk.deliverer, *others):
                tasks.start_soon(one.look, tasks)
    for number in range(5):
        assert club.desk.receivers.sequences(f"{URL}{number}") == list(range(1, 11))


async def test_what_is_refused_comes_late_and_delays_nothing_that_follows(club: Club) -> None:
    hook = club.hook()
    club.desk.receivers.answers = lambda message: REFUSED if message.sequence == 2 else TAKEN
    club.play(4)
    assert [message.sequence for message in await club.desk.settle()] == [1, 2, 3, 4]
    assert club.states(hook) == {1: "delivered", 2: "pending", 3: "delivered", 4: "delivered"}
    club.desk.receivers.answers = lambda _: TAKEN
    (again,) = await club.desk.settle()
    assert again.headers["webhook-id"] == club.desk.receivers.got[1].headers["webhook-id"]
    assert again.headers["webhook-timestamp"] > club.desk.receivers.got[1].headers["webhook-timestamp"]
    assert club.states(hook)[2] == "delivered"


async def test_pauses_grow_for_three_days_and_then_the_webhook_is_disabled(club: Club) -> None:
    hook = club.hook()
    club.desk.receivers.answers = lambda _: REFUSED
    club.play()
    (first,) = await club.desk.settle()
    times = [first.at]
    while club.webhook(hook).disabled_at is None:
        # A moment before the next attempt nothing is sent.
        wait = club.next_at(hook) - club.desk.clock() - timedelta(seconds=5)
        assert await club.desk.settle(seconds=wait.total_seconds()) == []
        times += [message.at for message in await club.desk.settle(seconds=5)]
    pauses = [later - earlier for earlier, later in pairwise(times)]
    assert pauses[: len(PAUSES)] == list(PAUSES)
    assert all(pause <= PAUSES[-1] for pause in pauses)
    assert times[-1] - times[0] == PATIENCE
    assert club.states(hook) == {1: "failed"}
    assert club.webhook(hook).failing_since == times[0]

    club.play()
    assert await club.desk.settle() == []
    club.desk.receivers.answers = lambda _: TAKEN
    club.change(hook, disabled=False)
    assert await club.desk.settle() == [], "what happened meanwhile is not told"
    club.play()
    assert [message.told["data"]["revision"] for message in await club.desk.settle()] == [3]
    assert club.webhook(hook).failing_since is None


async def test_a_success_between_failures_keeps_a_webhook_going(club: Club) -> None:
    hook = club.hook()
    club.desk.receivers.answers = lambda message: REFUSED if message.sequence == 1 else TAKEN
    club.play()
    await club.desk.settle()
    for _ in range(8):
        club.play()
        await club.desk.settle(hours=12)
    assert club.webhook(hook).disabled_at is None
    assert club.states(hook)[1] == "failed"
    assert len([1 for message in club.desk.receivers.got if message.sequence == 1]) > 5


async def test_gone_disables_a_webhook_at_once(club: Club) -> None:
    hook = club.hook()
    other = club.hook(f"{URL}other")
    club.desk.receivers.answers = lambda message: Outcome(410, "status") if message.url == URL else TAKEN
    club.play(3)
    await club.desk.settle()
    assert club.desk.receivers.sequences(URL) == [1]
    assert club.webhook(hook).disabled_at == club.desk.clock()
    assert club.states(hook) == {1: "failed", 2: "failed", 3: "failed"}
    assert set(club.states(other).values()) == {"delivered"}


async def test_where_nobody_listens_nothing_overtakes_what_came_first(club: Club) -> None:
    club.hook()
    club.desk.receivers.answers = lambda _: NOBODY
    club.play(3)
    assert [message.sequence for message in await club.desk.settle()] == [1]
    club.play()
    assert [message.sequence for message in await club.desk.settle()] == [1]
    assert await club.desk.settle() == [], "the second pause is longer"
    club.desk.receivers.answers = lambda _: TAKEN
    assert [message.sequence for message in await club.desk.settle(seconds=30)] == [1, 2, 3, 4]


async def test_a_receiver_that_hangs_delays_no_other(club: Club) -> None:
    slow = [club.hook(f"{URL}slow/{number}") for number in range(4)]
    club.hook()
    receivers = club.desk.receivers
    receivers.hanging = {f"{URL}slow/{number}" for number in range(4)}
    async with asyncio.timeout(PATIENCE_SECONDS), anyio.create_task_group() as tasks:
        for played in (3, 5):
            club.play(played - club.games)
            while receivers.sequences(URL) != list(range(1, played + 1)):
                club.desk.clock.pass_by(seconds=5)
                await club.desk.deliverer.look(tasks)
        assert [receivers.sequences(url) for url in sorted(receivers.hanging)] == [[1]] * 4
        receivers.hang_up.set()
    assert {*club.states(slow[0]).values()} == {"delivered"}


@pytest.mark.parametrize("seed", range(6))
async def test_killed_at_any_point_every_event_arrives_and_first_in_order(club: Club, seed: int) -> None:
    """Killed before or after a message was got, or noted; then another process goes on when the lease is over."""
    chance = random.Random(seed)
    hooks = [club.hook(f"{URL}{number}") for number in range(2)]
    receivers = club.desk.receivers
    receivers.answers = lambda _: chance.choice([TAKEN, TAKEN, NOBODY])
    for _ in range(8):
        club.play(chance.randint(0, 4))
        club.desk.clock.pass_by(seconds=5)
        dying = club.desk.another()
        with anyio.move_on_after(chance.uniform(0, 0.06)):
            async with anyio.create_task_group() as tasks:
                await dying.look(tasks)
        club.desk.clock.pass_by(seconds=LEASE.total_seconds() * chance.randint(0, 1))
    receivers.answers = lambda _: TAKEN
    for _ in range(10):
        await club.desk.settle(minutes=30)
    for number, hook in enumerate(hooks):
        arrived = list(dict.fromkeys(receivers.sequences(f"{URL}{number}")))
        assert arrived == list(range(1, club.games + 1))
        assert {*club.states(hook).values()} <= {"delivered"}


async def test_a_deliverer_that_is_stopped_leaves_its_work_to_others_at_once(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    club.hook()
    receivers = club.desk.receivers
    receivers.hanging = {URL}
    club.play(2)
    running = asyncio.create_task(club.desk.deliverer.run())
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not receivers.got:
            await asyncio.sleep(0.001)
    club.desk.deliverer.stop()
    await running
    receivers.hanging = set()
    club.desk.deliverer = club.desk.another()
    assert [message.sequence for message in await club.desk.settle(seconds=0)] == [1, 2]


async def test_a_webhook_that_is_deleted_or_changed_meanwhile_gets_nothing_more(club: Club) -> None:
    hook = club.hook()

    def remove(message: Message) -> Outcome:
        with club.database.write() as tx:
            settings.remove(tx, club.president, "moscow", hook, now=club.desk.clock())
        return TAKEN

    club.desk.receivers.answers = remove
    club.play(3)
    assert [message.sequence for message in await club.desk.settle()] == [1]
    assert await club.desk.settle() == []


async def test_a_lease_that_another_has_taken_over_is_not_written_over(club: Club) -> None:
    """A process that was asleep in the middle of an attempt finds that another has gone on."""
    hook = club.hook()
    club.play()
    now = club.desk.clock.now + timedelta(seconds=5)
    outbox.make_events(club.database, now)
    (number,) = deliveries.lease_due(club.database, "asleep", now)
    due = deliveries.next_due(club.database, number, "asleep", now)
    assert due is not None
    later = now + LEASE
    assert deliveries.lease_due(club.database, "another", later - timedelta(microseconds=1)) == []
    assert deliveries.lease_due(club.database, "another", later) == [number]
    assert deliveries.record(club.database, due, "asleep", TAKEN, later) is None
    assert club.states(hook) == {1: "pending"}
    again = deliveries.next_due(club.database, number, "another", later)
    assert again is not None
    assert again.delivery.event_id == due.delivery.event_id


async def test_events_of_a_month_ago_are_forgotten(club: Club) -> None:
    hook = club.hook()
    club.play(2)
    await club.desk.settle()
    outbox.forget_old(club.database, club.desk.clock())
    assert len(club.states(hook)) == 2
    club.desk.clock.pass_by(days=30, seconds=1)
    outbox.forget_old(club.database, club.desk.clock())
    assert club.states(hook) == {}
    with club.database.read() as tx:
        assert tx.execute(WEBHOOK_EVENTS.select()).all() == []
    club.play()
    assert [message.sequence for message in await club.desk.settle()] == [3]


async def test_more_changes_than_fit_into_one_transaction_are_all_told(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "_AT_ONCE", 4)
    club.hook()
    club.play(11)
    for _ in range(6):
        await club.desk.settle()
    assert club.desk.receivers.sequences() == list(range(1, 12))


async def test_a_club_without_webhooks_has_no_events(club: Club, database: Database) -> None:
    club.play(3)
    assert await club.desk.settle() == []
    hook = club.hook()
    club.change(hook, disabled=True)
    club.play(3)
    await club.desk.settle()
    with database.read() as tx:
        assert tx.execute(WEBHOOK_EVENTS.select()).all() == []
        assert webhook_deliveries.next_due(tx, 1, datetime.max.replace(tzinfo=club.desk.clock().tzinfo)) is None
