"""Events for webhooks, made of the journal, which is written with each change (docs/decisions/0015-webhooks.md)."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from app.repositories import journal
from app.repositories.clubs import clubs, webhook_events, webhooks
from app.repositories.clubs.webhook_events import Lagging, Outbox
from app.repositories.clubs.webhooks import Webhook
from app.repositories.database import Database, Transaction
from app.repositories.database.ids import new_id
from app.services.clubs.webhooks.event_types import News, news_of, read_detail, written

KEPT: Final = timedelta(days=30)
"""How long events and what became of them can be read."""

_AT_ONCE: Final = 1_000
"""Changes of a season that events are made of in one transaction."""


def make_events(database: Database, now: datetime) -> None:
    """Make events of all that was committed since the last time; several processes may try, one does.

    Raises:
        Unavailable: the database is gone or crowded out.
    """
    with database.glance() as tx:
        behind = webhook_events.clubs_behind(tx)
    for club_id in sorted(behind):
        with database.write() as tx:
            _make(tx, club_id, now)


def forget_old(database: Database, now: datetime) -> None:
    """Delete events older than :data:`KEPT`."""
    with database.write() as tx:
        webhook_events.forget(tx, now - KEPT)


def add(tx: Transaction, outbox: Outbox, club: str, news: News, to: list[Webhook], now: datetime) -> Outbox:
    """Store an event in a locked outbox and let it wait for these webhooks."""
    sequence = outbox.sequence + 1
    webhook_events.add(
        tx,
        outbox.club_id,
        public_id=new_id("e"),
        sequence=sequence,
        type=news.type,
        body=written(news, club, sequence),
        at=news.at,
        webhooks=[webhook.id for webhook in to],
        now=now,
    )
    return outbox._replace(sequence=sequence)


def _make(tx: Transaction, club_id: int, now: datetime) -> None:
    outbox = webhook_events.lock_outbox(tx, club_id)
    if outbox is None:
        return
    before = outbox
    told = webhooks.enabled(tx, club_id)
    club = clubs.by_id(tx, club_id).slug
    for season in webhook_events.lagging(tx, club_id):
        for news in _of_season(tx, season):
            if takers := [webhook for webhook in told if webhook.takes(news.type)]:
                outbox = add(tx, outbox, club, news, takers, now)
    for change_id, news in _merges(tx, outbox):
        outbox = outbox._replace(change_id=change_id)
        if takers := [webhook for webhook in told if webhook.takes(news.type)]:
            outbox = add(tx, outbox, club, news, takers, now)
    if outbox != before:
        webhook_events.advance(tx, club_id, sequence=outbox.sequence, change_id=outbox.change_id)


def _of_season(tx: Transaction, season: Lagging) -> Iterator[News]:
    """What is told of a season's changes since; whatever is read is noted as told."""
    seen = webhook_events.first_revision(tx, season.id) if season.seen is None else season.seen
    changes = journal.after(tx, season.id, seen, limit=_AT_ONCE)
    # What was committed since the season was looked at, and a revision whose changes were not all read, come later.
    up_to = season.revision
    if len(changes) == _AT_ONCE and changes[-1].revision is not None:
        up_to = min(up_to, changes[-1].revision - 1)
    webhook_events.move(tx, season.id, up_to, was=season.seen)
    for change in changes:
        news = news_of(change, season.slug)
        if news is not None and news.revision is not None and news.revision <= up_to:
            yield news


def _merges(tx: Transaction, outbox: Outbox) -> Iterator[tuple[int, News]]:
    """The merges of players since: one event each, however many seasons they changed."""
    for number, at, player, detail in webhook_events.merged(tx, outbox.club_id, outbox.change_id):
        seasons = webhook_events.merged_in(tx, outbox.club_id, player, number)
        slug, revision = seasons[0] if len(seasons) == 1 else (None, None)
        more = {
            "player": {"id": player, "merged_into": read_detail(detail).get("into")},
            "seasons": [{"season": slug, "revision": revision} for slug, revision in seasons],
        }
        yield number, News("player.merged", at, slug, revision, None, more)
