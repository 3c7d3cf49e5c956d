"""Files into a season of a running service and out of it, from the command line."""

import io
import json
import sys
from collections.abc import Iterator
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from app.cli.client import config_path
from app.repositories.database import Database
from app.repositories.schema import bring_up_to_date
from tests.cli.running import Done, free_port, run, service
from tests.http.conftest import RED_WON
from tests.http.kept_season import Founded, found

ON = {"played_on": "2025-03-14"}


class Running(NamedTuple):
    url: str
    season: Founded


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service with a season of ten players."""
    folder = tmp_path_factory.mktemp("service")
    url = f"sqlite:///{folder}/mafrate.db"
    with closing(Database(url)) as database:
        bring_up_to_date(database)
        season = found(database)
    with service(url, folder) as (client, _):
        yield Running(str(client.base_url), season)


@pytest.fixture
def at_hand(running: Running, environment: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """The service and a president's key in the environment; no file in the user's folder."""
    environment.setenv("MFR_URL", running.url)
    environment.setenv("MFR_KEY", running.season.secrets["president"])
    environment.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    environment.delenv("LANG", raising=False)
    return environment


def games(name: str, count: int = 3) -> list[dict[str, Any]]:
    return [{**deepcopy(RED_WON), **ON, "external_id": f"{name}/{n}"} for n in range(count)]


def write(name: str, sent: list[Any]) -> str:
    Path(name).write_text("".join(json.dumps(game) + "\n" for game in sent))
    return name


def rows(done: Done) -> dict[str, str]:
    """The last table: result to number of games."""
    cells = [line.strip("│ ").split("│") for line in done.out.splitlines() if line.startswith("│")]
    return {row[0].strip(): row[1].strip() for row in cells if len(row) == 2}


def test_a_file_goes_in_and_again_changes_nothing(
    capsys: pytest.CaptureFixture[str], at_hand: pytest.MonkeyPatch
) -> None:
    name = write("games.ndjson", games("in"))
    first = run(capsys, "import", name, "--to", "moscow/spring")
    assert (first.status, rows(first), first.err) == (0, {"created": "3"}, "")
    again = run(capsys, "import", name, "--to", "moscow/spring", "--json")
    assert (again.status, again.err) == (0, "")
    assert json.loads(again.out) == {
        "summary": {"created": 0, "unchanged": 3, "corrected": 0, "pending": 0, "conflict": 0, "invalid": 0}
        | {"applied": True, "new_players": [], "more": 0, "not_registered": {"games": 0, "players": []}},
        "refused": [],
        "all_shown": True,
    }


def test_refused_games_are_told_written_and_make_the_status_1(
    capsys: pytest.CaptureFixture[str], at_hand: pytest.MonkeyPatch
) -> None:
    sent = games("refused", 25)
    for game in sent[1:]:
        game["stage"] = "final"
    name = write("games.jsonl", sent)
    done = run(capsys, "import", name, "--to", "moscow/spring", "--errors", "faulty.ndjson", "--language", "ru")
    assert (done.status, rows(done)) == (1, {"created": "1", "invalid": "24"})
    assert "refused/1" in done.out
    assert "/stage" in done.out
    told = [json.loads(line) for line in Path("faulty.ndjson").read_text().splitlines()]
    assert [game["line"] for game in told] == list(range(2, 26))
    listed = json.loads(run(capsys, "import", name, "--to", "moscow/spring", "--json").out)
    assert (len(listed["refused"]), listed["all_shown"]) == (20, False)
    atomic = run(
        capsys, "import", write("more.ndjson", [*games("atomic", 2), sent[1]]), "--to", "moscow/spring", "--atomic"
    )
    assert (atomic.status, rows(atomic)) == (1, {"created": "2", "invalid": "1"})
    assert "Nothing was stored." in atomic.out


def test_a_fault_of_a_sheet_is_told_by_file_row_column_expectation_and_finding(
    capsys: pytest.CaptureFixture[str], at_hand: pytest.MonkeyPatch
) -> None:
    Path("Лига.csv").write_bytes("Игра;Исход;Место;Игрок;Роль\n1;красные;1;P1;донн\n".encode("cp1251"))
    done = run(capsys, "import", "Лига.csv", "--to", "moscow/spring", "--language", "ru")
    assert (done.status, done.err, done.out.splitlines()[0]) == (1, "", "Лига.csv:")
    (row,) = [line for line in done.out.splitlines() if "/rows/2/Роль" in line]
    assert "строка 2, столбец «Роль»: стоит «донн», нужно: мирный, шериф, мафия, дон или другая роль" in row
    assert row.rstrip(" │").endswith("(дон?)")


def test_errors_have_a_place_before_anything_is_sent_and_never_that_of_the_games(
    capsys: pytest.CaptureFixture[str], at_hand: pytest.MonkeyPatch
) -> None:
    good, bad = games("place", 2)
    name = write("games.ndjson", [good, {**bad, "stage": "final"}])
    content = Path(name).read_bytes()
    Path("link").symlink_to(name)
    Path("before").write_text("of another import")
    to = ("--to", "moscow/spring")
    for errors in ("absent/errors", ".", name, "link"):
        done = run(capsys, "import", name, *to, "--errors", errors)
        assert (done.status, done.out, done.err.startswith(f"{errors}: ")) == (2, "", True)
    nowhere = ("--url", f"http://127.0.0.1:{free_port()}")
    assert run(capsys, "import", name, *to, "--errors", "before", *nowhere).status == 2
    assert (Path(name).read_bytes(), Path("before").read_text()) == (content, "of another import")
    done = run(capsys, "import", name, *to, "--errors", "before")
    assert rows(done) == {"created": "1", "invalid": "1"}
    assert [json.loads(line)["line"] for line in Path("before").read_text().splitlines()] == [2]


def test_ways_to_import_are_passed_on(capsys: pytest.CaptureFixture[str], at_hand: pytest.MonkeyPatch) -> None:
    sent = games("ways", 1)
    sent[0]["seats"][0]["player"] = "Newcomer"
    name = write("games.ndjson", sent)
    to = ("--to", "moscow/spring")
    assert rows(run(capsys, "import", name, *to)) == {"invalid": "1"}
    tried = run(capsys, "import", name, *to, "--create-players", "--dry-run")
    assert (rows(tried), tried.out.splitlines()[-1]) == ({"created": "1"}, "Nothing was stored.")
    assert rows(run(capsys, "import", name, *to, "--create-players")) == {"created": "1"}
    other = write("other.ndjson", [{**sent[0], "outcome": "black"}])
    assert run(capsys, "import", other, *to).status == 1
    assert rows(run(capsys, "import", other, *to, "--correct")) == {"corrected": "1"}


@pytest.mark.parametrize("form", ["ndjson", "csv", "xlsx"])
def test_what_comes_out_goes_in_again(
    capsys: pytest.CaptureFixture[str], at_hand: pytest.MonkeyPatch, form: str
) -> None:
    run(capsys, "import", write("games.ndjson", games("out")), "--to", "moscow/spring")
    done = run(capsys, "export", "moscow/spring", "--output", f"taken.{form}", "--language", "ru", "--json")
    assert done.status == 0
    assert json.loads(done.out) == {"file": f"taken.{form}", "bytes": Path(f"taken.{form}").stat().st_size}
    assert [path.name for path in Path().glob(".taken*")] == []
    back = run(capsys, "import", f"taken.{form}", "--to", "moscow/spring")
    assert back.status == 0
    assert set(rows(back)) == {"unchanged"}


def test_standard_input_and_output_do(capsys: pytest.CaptureFixture[str], at_hand: pytest.MonkeyPatch) -> None:
    content = Path(write("games.ndjson", games("piped"))).read_bytes()

    class Piped:
        buffer = io.BytesIO(content)

    at_hand.setattr(sys, "stdin", Piped)
    assert run(capsys, "import", "-", "--to", "moscow/spring").status == 2
    assert rows(run(capsys, "import", "-", "--format", "ndjson", "--to", "moscow/spring")) == {"created": "3"}


def test_where_and_with_which_key_is_said_by_option_environment_or_file(
    capsys: pytest.CaptureFixture[str], at_hand: pytest.MonkeyPatch, running: Running
) -> None:
    name = write("games.ndjson", games("where", 1))
    words = ("import", name, "--to", "moscow/spring")
    assert run(capsys, *words, "--key", "mfr_no").err.startswith("Authentication required")
    at_hand.delenv("MFR_URL")
    at_hand.delenv("MFR_KEY")
    nowhere = run(capsys, *words, "--url", f"http://127.0.0.1:{free_port()}")
    assert (nowhere.status, "cannot connect to" in nowhere.err) == (2, True)
    assert "Is mafrate serve running there?" in nowhere.err
    told = f'url = "{running.url}"\nkey = "{running.season.secrets["judge"]}"\n'
    config_path().parent.mkdir(parents=True)
    config_path().write_text(told)
    assert run(capsys, *words).status == 0
    Path("other.toml").write_text(told.replace("http", "gopher"))
    assert "expected an address" in run(capsys, *words, "--config", "other.toml").err
    for wrong in ("url = 1", "adress = 'x'", "url"):
        Path("other.toml").write_text(wrong)
        done = run(capsys, *words, "--config", "other.toml")
        assert (done.status, done.err.startswith("other.toml: ")) == (2, True)


@pytest.mark.parametrize(
    "words, said",
    [
        (("import", "games.ndjson", "--to", "moscow"), "expected CLUB/SEASON"),
        (("import", "games.ndjson", "--to", "moscow/spring?x=1"), "expected CLUB/SEASON"),
        (("import", "games.txt", "--to", "moscow/spring"), "unknown file type; specify --format"),
        (("import", "games.json", "--to", "moscow/spring"), "jq -c '.[]' games.json > games.ndjson"),
        (("import", "absent.csv", "--to", "moscow/spring"), "absent.csv"),
        (("import", "games.ndjson", "--to", "moscow/winter"), "Season not found."),
        (("import", "games.csv", "--to", "moscow/spring"), "header row not found"),
        (("export", "moscow/winter"), "Season not found."),
        (("export", "moscow/spring", "--json"), "Specify a file"),
        (("export", "moscow/spring", "--output", "games.doc"), "unknown file type; specify --format"),
        (("export", "moscow/spring", "--output", "absent/games.csv"), "absent"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    capsys: pytest.CaptureFixture[str], at_hand: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    write("games.ndjson", games("no"))
    write("games.csv", ["not a table"])
    done = run(capsys, *words)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err
