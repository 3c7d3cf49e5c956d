"""A primary and its standby, which change places whenever the primary is lost."""

import shutil
import signal
import time
from contextlib import closing
from pathlib import Path

from tests.clusters import Server


class Pair:
    """Two PostgreSQL servers, of which one is written to and the other has all that the first acknowledged."""

    def __init__(self, folder: Path) -> None:
        self.primary, self.standby = Server(folder / "one"), Server(folder / "two")
        names = f"s{self.primary.port}, s{self.standby.port}"
        for server in (self.primary, self.standby):
            server.settings = (
                f"cluster_name = 's{server.port}'\nsynchronous_standby_names = 'ANY 1 ({names})'\n"
                "synchronous_commit = remote_apply\n"
            )
        self.primary.create()
        self.primary.start()
        self.join()

    @property
    def url(self) -> str:
        """Both, for whoever writes."""
        return self._url("read-write")

    @property
    def reading_url(self) -> str:
        """Both, for whoever only reads."""
        return self._url("prefer-standby")

    def _url(self, which: str) -> str:
        places = ",".join(sorted((self.primary.place, self.standby.place)))
        return f"postgresql://postgres@{places}/postgres?target_session_attrs={which}"

    def own_url(self) -> str:
        """The primary alone."""
        return f"postgresql://postgres@{self.primary.place}/postgres"

    def join(self) -> None:
        """Make a new standby, in place of what was there, and return once commits wait for it."""
        shutil.rmtree(self.standby.folder, ignore_errors=True)
        self.standby.copy(self.primary)
        self.standby.start()
        with closing(self.primary.connect()) as connection:
            while (
                connection.execute("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'quorum'").fetchone() is None
            ):
                time.sleep(0.05)

    def fail_over(self, how: signal.Signals) -> None:
        """Kill or freeze the primary, promote the standby; the old primary never comes back."""
        lost = self.primary
        if how is signal.SIGSTOP:
            lost.freeze()
        else:
            lost.kill()
        self.standby.promote()
        self.primary, self.standby = self.standby, lost

    def let_go(self) -> None:
        """Let the primary acknowledge what the standby lacks."""
        self.standby.kill()
        self.wait_for_standby(False)

    def wait_for_standby(self, waits: bool) -> None:
        """Whether the primary acknowledges only what the standby has."""
        how = "RESET synchronous_standby_names" if waits else "SET synchronous_standby_names = ''"
        with closing(self.primary.connect()) as connection:
            connection.execute(f"ALTER SYSTEM {how}")
            connection.execute("SELECT pg_reload_conf()")
            while (connection.execute("SHOW synchronous_standby_names").fetchone() == ("",)) is waits:
                time.sleep(0.05)

    def lose(self) -> None:
        """Kill the primary after :meth:`let_go` and promote what the standby has."""
        lost = self.primary
        lost.kill()
        self.standby.start()
        self.standby.promote()
        self.primary, self.standby = self.standby, lost

    def close(self) -> None:
        for server in (self.primary, self.standby):
            server.kill()
