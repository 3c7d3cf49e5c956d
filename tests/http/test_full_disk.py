"""A disk without room for what is kept aside: the request may come again, and nothing was done."""

import errno
import tempfile
from typing import Any

import pytest

from tests.http.archives import archive_of
from tests.http.desk import ask
from tests.http.kept_season import KeptSeason, read

pytestmark = pytest.mark.anyio


FULL = "The service's disk is full; nothing was stored. Free some space and try again."


class _Full(tempfile.SpooledTemporaryFile[bytes]):
    """A file on a disk that has no room."""

    def write(self, _data: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # xlsxwriter's zip file, when it goes
@pytest.mark.parametrize("form", ["archive.zip", "games.ndjson", "games.csv", "games.xlsx"])
async def test_nothing_is_taken_out(
    spring: KeptSeason, game: dict[str, Any], form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await spring.kept({**game, "played_on": "2025-03-14"})
    monkeypatch.setattr(tempfile, "SpooledTemporaryFile", _Full)
    answer = await ask(spring, "president", "GET", f"/seasons/spring/{form}")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert (answer.json()["code"], answer.json()["detail"]) == ("disk_full", FULL)
    monkeypatch.undo()
    assert (await ask(spring, "president", "GET", f"/seasons/spring/{form}")).status_code == 200


@pytest.mark.parametrize(
    "path, media",
    [
        ("archives?slug=copy", "application/zip"),
        ("seasons/spring/games/import?mode=atomic", "application/x-ndjson"),
        ("seasons/spring/games/import?dry_run=true", "text/csv"),
        (
            "seasons/spring/games/import",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ),
    ],
)
async def test_nothing_is_taken_in(
    spring: KeptSeason, game: dict[str, Any], path: str, media: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await spring.kept({**game, "played_on": "2025-03-14"})
    body = await archive_of(spring)
    before = read(await ask(spring, "president", "GET", "/seasons"))
    monkeypatch.setattr(tempfile, "SpooledTemporaryFile", _Full)
    carried = {"authorization": f"Bearer {spring.secrets['president']}", "content-type": media}
    answer = await spring.client.post(f"/v1/clubs/moscow/{path}", content=body, headers=carried)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert read(await ask(spring, "president", "GET", "/seasons")) == before


async def test_what_fails_otherwise_is_no_matter_of_room(
    spring: KeptSeason, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_file: object, _data: object) -> int:
        raise OSError(errno.EIO, "Input/output error")

    await spring.kept({**game, "played_on": "2025-03-14"})
    monkeypatch.setattr(_Full, "write", fail)
    monkeypatch.setattr(tempfile, "SpooledTemporaryFile", _Full)
    assert (await ask(spring, "president", "GET", "/seasons/spring/archive.zip")).status_code == 500
