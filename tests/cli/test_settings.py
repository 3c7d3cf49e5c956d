"""Settings that cannot be used: status 2, and one sentence that names the setting and says what was expected."""

import secrets
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url

from app.repositories.database import Database
from tests.cli.running import run

PORT = "expected a port from 1 to 65535 after the host: postgresql://host:5432/database"
FILE = "SQLite needs a file: sqlite:///data/mafrate.db"
CACHE = "expected redis://host:port/number, such as redis://127.0.0.1:6379/0"
LONG = "a" * 300


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a folder, a file, an empty file and no more."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("not a database, and longer than the head of one would be" * 9)
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], name: str, expected: str, *words: str) -> None:
    """The command must say that, and nothing else."""
    done = run(capsys, *words)
    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert done.err.startswith(f"{name}: ")
    assert expected in done.err
    assert "secret" not in done.err


@pytest.mark.parametrize(
    "url, expected",
    [
        ("postgresql://u:secret@host:port/db", PORT),
        ("postgresql://u:secret@host:99999/db", PORT),
        ("postgresql://u:secret@host:0/db", PORT),
        ("postgresql://u:secret@host:-1/db", PORT),
        ("postgresql://u:secret@[::1/db", PORT),
        ("postgresql://u:p@secret@host/db", "expected %40 in place of an @"),
        ("postgresql://u:secret@host/db?sslmod=require", "expected parameters of PostgreSQL's"),
        ("postgresql://u:secret@127.0.0.1/db?sslmode=requir", 'invalid sslmode value: "requir"'),
        ("postgresql://u:secret@127.0.0.1:1/db", "the database is unavailable: "),
        ("postgresql://u:secret@h1:5432,h2:port/db", PORT),
        ("postgresql://u:secret@h1:1,h2:2/db?target_session_attrs=writable", "expected one of any, read-write"),
        ("postgresql:///db?host=h1:1&host=h2:2&password=secret", "expected several hosts as postgresql://host1:5432,"),
        ("postgresql://u:secret@h1,h2,h3/db?port=1,2", "expected several hosts as postgresql://host1:5432,"),
        ("postgresql://u:secret%zz@host/db", "%25 in place of a %"),
        (
            "postgresql+psycopg://u:secret@127.0.0.1:1,127.0.0.1:2/db?target_session_attrs=read-write",
            "is unavailable: ",
        ),
        ("sqlite://data/mafrate.db", FILE),
        ("sqlite:///data/mafrate.db?mode=ro", f"{FILE}, and nothing after a question mark"),
        ("sqlite:///data/mafrate.db?timeout=5", f"{FILE}, and nothing after a question mark"),
        ("sqlite:///data/%00.db", f"{FILE}, and no NUL in its name"),
    ],
)
@pytest.mark.parametrize("words", [("migrate",), ("serve",), ("audit",), ("keys", "list", "moscow")])
def test_a_database_url_that_names_none(
    capsys: pytest.CaptureFixture[str],
    environment: pytest.MonkeyPatch,
    url: str,
    expected: str,
    words: tuple[str, ...],
) -> None:
    environment.setenv("MAFRATE_DATABASE_URL", url)
    environment.setenv("MAFRATE_PORT", "0")
    refused(capsys, "MAFRATE_DATABASE_URL", expected, *words)


@pytest.mark.parametrize(
    "path, expected",
    [
        ("{}/file/mafrate.db", "expected a folder and no file on the way: {}/file"),
        ("{}/file/data/mafrate.db", "expected a folder and no file on the way: {}/file/data"),
        ("{}/folder", "expected a file that can be written: {}/folder"),
        (f"{{}}/{LONG}/mafrate.db", f"expected a folder that can be written: {{}}/{LONG}"),
        (f"{{}}/{LONG}", f"expected a file that can be written: {{}}/{LONG}"),
        ("{}/file", "expected an SQLite database or no file at all: {}/file"),
        ("/proc/mafrate.db", "expected a file that can be written: /proc/mafrate.db"),
        ("/proc/data/mafrate.db", "expected a folder that can be written: /proc/data"),
    ],
)
@pytest.mark.parametrize("words", [("migrate",), ("serve",), ("audit",), ("demo",)])
def test_a_path_where_no_database_can_be(
    capsys: pytest.CaptureFixture[str],
    environment: pytest.MonkeyPatch,
    folder: Path,
    path: str,
    expected: str,
    words: tuple[str, ...],
) -> None:
    if path.startswith("/proc") and not Path("/proc/self").exists():
        pytest.skip("needs /proc, where even root makes no files")
    environment.setenv("MAFRATE_DATABASE_URL", "sqlite:///" + path.format(folder))
    environment.setenv("MAFRATE_PORT", "0")
    before = sorted(folder.rglob("*"))
    file = path.format(folder)
    if words == ("audit",) and file not in map(str, before):
        told = f"no database at {file}; create one with mafrate migrate\n"
        assert run(capsys, *words) == (2, "", told)
    else:
        refused(capsys, "MAFRATE_DATABASE_URL", expected.format(folder), *words)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    "url",
    [
        "redis://:secret@host:port/0", "redis://:secret@host:99999", "redis://:secret@host:-1", "redis://[::1",
        "redis://host/database", "redis://host/-1", "redis://host/0?db=zero", "redis://host?socket_timeout=long",
        "redis://host?sockettimeout=1", "redis://host?protocol=9", "rediss://host?ssl_cert_reqs=perhaps",
        "redis://host?max_connections=-1", "redis://host/0#secret",
    ],
)  # fmt: skip
def test_a_cache_url_that_names_none(
    capsys: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch, tmp_path: Path, url: str
) -> None:
    environment.setenv("MAFRATE_DATABASE_URL", f"sqlite:///{tmp_path}/mafrate.db")
    environment.setenv("MAFRATE_CACHE_URL", url)
    environment.setenv("MAFRATE_PORT", "0")
    refused(capsys, "MAFRATE_CACHE_URL", CACHE, "serve")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("host", ["é" + LONG, LONG, "no host", "256.1.1.1", "*", "a/b"])
def test_a_host_that_is_none(
    capsys: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch, tmp_path: Path, host: str
) -> None:
    environment.setenv("MAFRATE_DATABASE_URL", f"sqlite:///{tmp_path}/mafrate.db")
    environment.setenv("MAFRATE_HOST", host)
    done = run(capsys, "serve")
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith("MAFRATE_HOST")
    assert list(tmp_path.iterdir()) == []


def test_an_admins_key_that_can_be_left_nowhere_is_asked_for(
    capsys: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch, tmp_path: Path, empty_database_url: str
) -> None:
    """Where the key would lie there is a folder that is no empty one; nothing is kept of the key."""
    is_sqlite = empty_database_url.startswith("sqlite")
    place = tmp_path if is_sqlite else Path("data")
    (place / "admin-key.txt" / "in the way").mkdir(parents=True)
    environment.setenv("MAFRATE_DATABASE_URL", empty_database_url)
    environment.setenv("MAFRATE_PORT", "0")
    refused(capsys, "MAFRATE_ADMIN_KEY", f"set a key, because a new one cannot be written to {place}", "serve")
    with closing(Database(empty_database_url)) as database, database.read() as tx:
        assert tx.exec_driver_sql("SELECT count(*) FROM keys").scalar() == 0


@pytest.fixture
def powerless(empty_database_url: str) -> Iterator[str]:
    """The URL of a PostgreSQL database in which the role may do nothing."""
    url = make_url(empty_database_url)
    if url.get_backend_name() == "sqlite":
        pytest.skip("SQLite knows no roles")
    role = f"mafrate_test_{secrets.token_hex(6)}"
    with closing(psycopg.connect(empty_database_url, autocommit=True)) as server:
        server.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'secret'".encode())
        try:
            yield url.set(username=role, password="secret").render_as_string(hide_password=False)
        finally:
            server.execute(f"DROP ROLE {role}".encode())


def test_a_role_that_may_do_nothing(
    capsys: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch, powerless: str
) -> None:
    environment.setenv("MAFRATE_DATABASE_URL", powerless)
    refused(capsys, "MAFRATE_DATABASE_URL", "permission denied", "migrate")
