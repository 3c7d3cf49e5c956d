"""Webhooks while service and receiver are killed twenty times: what arrives beside what was committed."""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from app.repositories.database import Database
from bench.databases import new_database
from bench.verdict import Verdict
from tests.processes.test_webhooks_killed import interrupt

KILLS: Final = 20


def webhooks() -> Iterator[Verdict]:
    """Fails where an event is missing or came out of order."""
    for dialect in ("sqlite", "postgresql"):
        with new_database(dialect) as url, tempfile.TemporaryDirectory() as folder:
            if url is None:
                print(f"({dialect} is not reached)")
                continue
            with closing(Database(url)) as database:
                committed = interrupt(database, url, Path(folder), KILLS)
        yield Verdict(
            f"{dialect}: events in order, {KILLS} kills", [committed], "committed", [committed], "", 1.0, at_least=True
        )
