"""Taking a season in while others write: what is done aside, and two who take the same at one moment."""

import threading
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from app.repositories import audits
from app.repositories.archive import season_rows
from app.repositories.database import Database, Transaction
from app.repositories.database.errors import Unavailable
from app.repositories.games import ledger
from app.repositories.schema import bring_up_to_date
from app.repositories.seasons import seasons
from app.scoring.game import Game
from app.services import archive
from app.services.access import Caller, identify
from app.services.archive import AdoptedSeason, StagedSeason
from app.services.audit import audit
from app.services.games import submission
from tests.http.conftest import RED_WON
from tests.http.kept_season import found

NOON = datetime(2025, 3, 14, 12, tzinfo=UTC)


@pytest.fixture
def taken_out(tmp_path: Path) -> BytesIO:
    """The archive of a season of one game."""
    file = BytesIO()
    with closing(Database(f"sqlite:///{tmp_path}/source.db")) as source:
        bring_up_to_date(source)
        president = president_of(source, "moscow")
        with source.write() as tx:
            submission.submit(tx, president, "moscow", "spring", Game.read(RED_WON), create_players=False, now=NOON)
        with source.read() as tx:
            season = seasons.find(tx, "moscow", "spring")
            assert season
            archive.write(tx, season, file)
    return file


def president_of(database: Database, club: str) -> Caller:
    founded = found(database, club=club, nicknames=0 if club != "moscow" else 10)
    return identify(database, founded.secrets["president"], admin_hash=None, now=NOON)


def adopt(database: Database, president: Caller, club: str, staged: StagedSeason) -> AdoptedSeason:
    with database.write() as tx:
        return archive.adopt(tx, president, club, staged, slug="came", now=NOON)


def test_ids_that_are_taken_while_they_are_looked_for_are_told_to_come_again(
    database: Database, taken_out: BytesIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On SQLite the second writer begins when the first is done, and sees them."""
    looked_for = threading.Event()
    holders = season_rows.holders

    def told(tx: Transaction, name: str, public_ids: Collection[str]) -> dict[str, Any]:
        seen = holders(tx, name, public_ids)
        if threading.current_thread() is not threading.main_thread():
            looked_for.set()
        return seen

    monkeypatch.setattr(season_rows, "holders", told)
    tula, kyiv = president_of(database, "tula"), president_of(database, "kyiv")
    with archive.staged(taken_out) as staged, ThreadPoolExecutor(1) as threads:
        with database.write() as tx:
            archive.adopt(tx, tula, "tula", staged, slug="came", now=NOON)
            second = threads.submit(adopt, database, kyiv, "kyiv", staged)
            looked_for.wait(10 if database.dialect == "postgresql" else 0.2)
        if database.dialect == "postgresql":
            with pytest.raises(Unavailable):
                second.result()
            adopted = adopt(database, kyiv, "kyiv", staged)
        else:
            adopted = second.result()
    assert (adopted.season.club, adopted.games, adopted.players_made) == ("kyiv", 1, 10)
    assert list(audit(database)) == []


def test_the_sums_of_a_large_season_are_worked_out_aside(
    database: Database, taken_out: BytesIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They come with its rows, for other players here, and the audit finds them to be those of its ledger."""
    monkeypatch.setattr(ledger, "WORTH_SUMMING", 1)
    with archive.staged(taken_out) as staged:
        for club in ("tula", "kyiv"):
            adopted = adopt(database, president_of(database, club), club, staged)
            with database.read() as tx:
                assert audits.kept_sums_revision(tx, adopted.season.id) == adopted.season.revision == 1
    assert list(audit(database)) == []
