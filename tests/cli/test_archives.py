"""A season's archive out of a running service and into another, from the command line."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from httpx import Client

from app.repositories.database import Database
from app.repositories.schema import bring_up_to_date
from tests.cli.running import run, service
from tests.cli.test_files import Running, at_hand, games, running, write  # noqa: F401  found by name
from tests.http.kept_season import found

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[tuple[Client, str]]:
    """Another service, and the key of the president of its club ``tula``."""
    url = f"sqlite:///{tmp_path}/elsewhere.db"
    with closing(Database(url)) as database:
        bring_up_to_date(database)
        secret = found(database, club="tula").secrets["president"]
    with service(url, tmp_path) as (client, _):
        yield client, secret


def test_a_season_moves_with_two_commands(
    capsys: Capture,
    at_hand: pytest.MonkeyPatch,  # noqa: F811
    running: Running,  # noqa: F811
    elsewhere: tuple[Client, str],
) -> None:
    other, secret = elsewhere
    run(capsys, "import", write("games.ndjson", games("moves")), "--to", "moscow/spring")
    with Client(base_url=running.url) as here:
        before = here.get("/v1/clubs/moscow/seasons/spring/standings").json()
    out = run(capsys, "export", "moscow/spring", "--output", "spring.zip")
    assert (out.status, out.err) == (0, "")
    assert out.out == f"spring.zip: {Path('spring.zip').stat().st_size:,} bytes\n"
    at_hand.setenv("MFR_URL", str(other.base_url))
    at_hand.setenv("MFR_KEY", secret)
    taken = run(capsys, "import", "spring.zip", "--to", "tula")
    assert (taken.status, taken.out) == (2, "")
    assert "The club already has a season with the slug spring" in taken.err
    dry = run(capsys, "import", "spring.zip", "--to", "tula/copy", "--dry-run")
    assert (dry.status, dry.err) == (0, "")
    assert dry.out == f"tula/copy: {before['games']:,} games, 0 new players. Nothing was stored.\n"
    done = run(capsys, "import", "spring.zip", "--to", "tula/copy", "--json")
    assert (done.status, done.err) == (0, "")
    told = json.loads(done.out)
    assert (told["season"]["slug"], told["games"], told["applied"]) == ("copy", before["games"], True)
    after = other.get("/v1/clubs/tula/seasons/copy/standings").json()
    assert (after["revision"], after["games"]) == (before["revision"], before["games"])
    shown = [
        [(row["rank"], row["player"]["nickname"], row["values"]) for row in told["rows"]] for told in (before, after)
    ]
    assert shown[0] == shown[1]


@pytest.mark.usefixtures("at_hand")
@pytest.mark.parametrize(
    "arguments, said",
    [
        (("import", "a.zip", "--to", "moscow", "--atomic"), "An archive is imported as a whole"),
        (("import", "a.zip", "--to", "moscow", "--create-players"), "An archive is imported as a whole"),
        (("import", "a.zip", "--to", "moscow", "--correct"), "An archive is imported as a whole"),
        (("import", "a.zip", "--to", "moscow", "--errors", "e"), "An archive is imported as a whole"),
        (("import", "a.zip", "--to", "moscow/a/b"), "expected CLUB/SEASON"),
        (("import", "a.zip", "--to", "moscow/copy"), "not a season archive"),
        (("import", "none.zip", "--to", "moscow/copy"), "none.zip"),
        (("import", "games.csv", "--to", "moscow"), "expected CLUB/SEASON"),
        (("export", "moscow", "--output", "a.zip"), "expected CLUB/SEASON"),
        (("export", "moscow/autumn", "--output", "b.zip"), "Season not found"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    capsys: Capture,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    Path("a.zip").write_bytes(b"no zip")
    done = run(capsys, *arguments)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert not Path("b.zip").exists()
