"""The ``mafrate`` command: its help, and what it does without a service."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer

from app import cli
from app.repositories import schema
from app.repositories.database import Database
from app.repositories.seasons import seasons
from app.services.access import Caller, identify
from app.services.clubs import clubs
from tests.cli.running import run
from tests.http.kept_season import found
from tests.repositories.kept import keep


def every_command(of: Any, *before: str) -> Iterator[tuple[str, ...]]:
    for name, command in of.commands.items():
        yield (*before, name)
        if hasattr(command, "commands"):
            yield from every_command(command, *before, name)


COMMANDS = list(every_command(typer.main.get_command(cli.application)))


def test_there_is_a_command_for_every_kind_of_work() -> None:
    named = "serve migrate audit backup restore demo import export score standings"
    assert {*((name,) for name in named.split()), ("keys", "list"), ("keys", "make-president")} <= set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_says_what_it_does_and_gives_an_example(
    capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    done = run(capsys, *command, "--help")
    assert done.status == 0
    if command not in {("keys",), ("rules",)}:
        assert re.search(rf"^ *Example: (\S+=\S+ )*mafrate {' '.join(command)}\b.*\n\Z", done.out, re.MULTILINE)


def test_the_version_is_that_of_the_project(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version") == (0, f"mafrate {version('mafrate')}\n", "")


@pytest.mark.parametrize("words", ["migrate", "demo"])
def test_a_new_database_is_announced_with_its_whole_path_and_an_old_one_is_not(
    capsys: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch, words: str
) -> None:
    """Who is in another folder than yesterday sees it."""
    environment.setenv("MAFRATE_DATABASE_URL", "sqlite:///here/mafrate.db")
    path = Path.cwd() / "here/mafrate.db"
    assert run(capsys, "audit").err.startswith(f"no database at {path};")
    assert not path.exists()
    assert run(capsys, words).err == f"Created a new database: {path}\n"
    assert run(capsys, "migrate").err == ""
    assert f"all data stored in {path} follows" in run(capsys, "audit").out


def test_migrate_makes_the_tables(
    capsys: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch, empty_database_url: str
) -> None:
    environment.setenv("MAFRATE_DATABASE_URL", empty_database_url)
    if empty_database_url.startswith("sqlite"):
        for words in (("keys", "list", "moscow"), ("audit",)):
            done = run(capsys, *words)
            assert (done.status, done.err.startswith("no database at ")) == (2, True)
        assert list(Path().rglob("*.db")) == []
        Path(empty_database_url.removeprefix("sqlite:///")).touch()
    assert run(capsys, "keys", "list", "moscow") == (
        2,
        "",
        "The database schema is out of date. Run mafrate migrate.\n",
    )
    assert run(capsys, "migrate", "--json") == (0, f'{{"version": "{schema.newest_version()}"}}\n', "")
    with closing(Database(empty_database_url)) as database:
        assert schema.schema_is_current(database)
    assert run(capsys, "migrate").out == f"Database schema version: {schema.newest_version()}\n"


@pytest.mark.parametrize(
    "url, said",
    [
        ("mysql://127.0.0.1/x", "MAFRATE_DATABASE_URL: expected sqlite:///PATH or postgresql://….\n"),
        ("sqlite://", "MAFRATE_DATABASE_URL: SQLite needs a file: sqlite:///data/mafrate.db\n"),
        ("postgresql://u:secret@127.0.0.1:1/x", "MAFRATE_DATABASE_URL: the database is unavailable: "),
    ],
)
def test_a_database_that_cannot_be_used_is_named_in_a_sentence(
    capsys: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch, url: str, said: str
) -> None:
    environment.setenv("MAFRATE_DATABASE_URL", url)
    done = run(capsys, "migrate")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(said)
    assert "secret" not in done.err
    assert "Traceback" not in done.err


def test_a_lost_presidents_key_is_replaced_without_the_service(
    capsys: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch, database_url: str
) -> None:
    now = datetime.now(UTC)
    environment.setenv("MAFRATE_DATABASE_URL", database_url)
    with closing(Database(database_url)) as database:
        with database.write() as tx:
            admin = Caller(None, None, None, "admin", "test")
            clubs.create(tx, admin, slug="moscow", name="Moscow", timezone="UTC", now=now)
        made = run(capsys, "keys", "make-president", "moscow", "--name", "Kim")
        assert made.status == 0
        caller = identify(database, made.out.strip(), admin_hash=None, now=now)
    assert (caller.role, caller.name) == ("president", "Kim")
    listed = json.loads(run(capsys, "keys", "list", "moscow", "--json").out)
    assert [(key["role"], key["name"]) for key in listed["items"]] == [("president", "president"), ("president", "Kim")]
    rows = [line.split("│") for line in run(capsys, "keys", "list", "moscow").out.splitlines() if line.startswith("│")]
    assert [[cell.strip() for cell in row[1:-1]] for row in rows] == [
        [key["id"], "president", key["name"], "never", "never"] for key in listed["items"]
    ]
    assert json.loads(run(capsys, "keys", "make-president", "moscow", "--json").out)["secret"].startswith("mfr_")


@pytest.mark.parametrize("name", ["", " ", "x" * 129, "a\nb", "\x1b[31mred", "\udcff"])
def test_a_key_is_called_as_over_http(capsys: pytest.CaptureFixture[str], name: str) -> None:
    done = run(capsys, "keys", "make-president", "moscow", "--name", name)
    assert done == (2, "", "expected a name of 1 to 128 characters without control characters\n")


def test_an_audit_names_every_difference_and_says_so_by_its_status(
    capsys: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch, database: Database, database_url: str
) -> None:
    environment.setenv("MAFRATE_DATABASE_URL", database_url)
    kept = keep(database)
    done = run(capsys, "audit")
    assert (done.status, done.err) == (0, "")
    assert re.fullmatch("No differences: all data stored in .+ follows from the facts of the games.\n", done.out)
    assert run(capsys, "audit", "--json") == (0, '{"differences": []}\n', "")
    with database.write() as tx:
        seasons.advance(tx, seasons.lock(tx, kept.season.id))  # a revision that nothing was written under
    named = run(capsys, "audit")
    assert named.status == 1
    assert named.out.startswith("club/spring: ")
    listed = run(capsys, "audit", "--json")
    assert listed.status == 1
    differences = json.loads(listed.out)["differences"]
    assert [(found["club"], found["season"]) for found in differences] == [("club", "spring")] * len(differences)
    assert len(differences) == len(named.out.splitlines())


def test_one_season_is_audited_by_its_slugs(
    capsys: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch, database: Database, database_url: str
) -> None:
    environment.setenv("MAFRATE_DATABASE_URL", database_url)
    kept = keep(database)
    found(database, club="moscow")
    with database.write() as tx:
        seasons.advance(tx, seasons.lock(tx, kept.season.id))
    assert run(capsys, "audit", "club/spring").status == 1
    sound = run(capsys, "audit", "moscow/spring")
    assert (sound.status, sound.err) == (0, "")
    assert sound.out.startswith("No differences: the data of moscow/spring stored in ")
    assert run(capsys, "audit", "moscow/autumn") == (2, "", "Season not found.\n")
    assert run(capsys, "audit", "moscow").status == 2


@pytest.mark.parametrize("command", ["list", "make-president"])
def test_a_club_that_is_not_there_is_named_in_a_sentence(
    capsys: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch, database_url: str, command: str
) -> None:
    environment.setenv("MAFRATE_DATABASE_URL", database_url)
    assert run(capsys, "keys", command, "tver") == (2, "", "Club not found.\n")
