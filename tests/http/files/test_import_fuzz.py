"""Files that are broken in any way: never a 500, never half a game."""

import asyncio
import io
import shutil
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from httpx import ASGITransport, AsyncClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.config import Settings
from app.main import create_app
from app.repositories.database import Database
from app.scoring.game import Game
from app.services.audit import audit
from app.sheets import write_csv, write_ndjson, write_xlsx
from tests.databases import migrated_sqlite
from tests.http.conftest import RED_WON
from tests.http.importing import CSV, NDJSON, ON, XLSX, post, stored
from tests.http.kept_season import KeptSeason, found

QUERIES: Final = ("", "?mode=atomic", "?dry_run=true", "?create_players=true&on_conflict=correct")


def _games() -> list[Game]:
    bonus = {**RED_WON["seats"][0], "bonus": "0.25", "bonus_note": 'за игру; "да"'}
    seats = [bonus, *RED_WON["seats"][1:]]
    return [
        Game.read({**RED_WON, **ON, "seats": seats, "external_id": f"a/{n}", "first_kill": {"seat": 7}}) for n in (1, 2)
    ]


def _workbook() -> bytes:
    file = io.BytesIO()
    write_xlsx(_games(), file, "ru")
    return file.getvalue()


FILES: Final = {
    NDJSON: b"".join(write_ndjson(_games())),
    CSV: b"".join(write_csv(_games(), "ru")),
    XLSX: _workbook(),
}
TOKENS: Final = (
    b"\x00", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b'"', b"'", b";", b",", b"\t", b"\n", b"\r", b"{", b"}",
    b"[" * 50, b"null", b"true", b"NaN", b"1e999", b"-0", b"9" * 40, b"0,5", b"=1+1", b"\\ud800", b"<", b">", b"]]>",
    b"&#0;", b"&x;", "Место".encode(), "ё".encode(), "ё".encode("cp1251"),
)  # fmt: skip


@st.composite
def broken(draw: st.DrawFn, whole: bytes) -> bytes:
    """A file with pieces cut out, doubled, put elsewhere, and things written into it."""
    content = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(content)))
        size = draw(st.integers(0, 40))
        piece = bytes(content[at : at + size])
        how = draw(st.sampled_from(("cut", "double", "write", "truncate", "flip")))
        if how == "cut":
            del content[at : at + size]
        elif how == "double":
            content[at:at] = piece * draw(st.integers(1, 3))
        elif how == "write":
            content[at : at + size] = draw(st.sampled_from(TOKENS))
        elif how == "truncate":
            del content[at:]
        else:
            content[at : at + size] = bytes(byte ^ draw(st.integers(0, 255)) for byte in piece)
    return bytes(content)


@st.composite
def broken_inside(draw: st.DrawFn) -> bytes:
    """A workbook that is a sound archive of broken parts."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(FILES[XLSX])) as whole, zipfile.ZipFile(file, "w") as made:
        parts = whole.namelist()
        victim = draw(st.sampled_from([name for name in parts if "sheet" in name or "hared" in name or "book" in name]))
        for name in parts:
            content = whole.read(name)
            if name != victim or draw(st.booleans()):
                made.writestr(name, draw(broken(content)) if name == victim else content)
    return file.getvalue()


ANY: Final = st.one_of(
    st.tuples(st.just(NDJSON), broken(FILES[NDJSON])),
    st.tuples(st.just(CSV), broken(FILES[CSV])),
    st.tuples(st.just(XLSX), broken(FILES[XLSX])),
    st.tuples(st.just(XLSX), broken_inside()),
    st.tuples(st.sampled_from((NDJSON, CSV, XLSX)), st.binary(max_size=300)),
)


class Service:
    """A service with a season, put back to how it was before each file."""

    def __init__(self, folder: Path) -> None:
        self.path, self.fresh = folder / "mafrate.db", folder / "fresh.db"
        self.fresh.write_bytes(migrated_sqlite())
        with closing(Database(f"sqlite:///{self.fresh}")) as database:
            self.founded = found(database)

    async def send(self, media: str, content: bytes, query: str) -> None:
        for stale in self.path.parent.glob("mafrate.db*"):
            stale.unlink()
        shutil.copy(self.fresh, self.path)
        app = create_app(Settings(database_url=f"sqlite:///{self.path}"))
        with closing(app.state.database) as database:
            async with AsyncClient(transport=ASGITransport(app), base_url="http://mafrate") as client:
                season = KeptSeason(client, database, *self.founded)
                answer = await post(season, content, query, media=media)
                assert answer.status_code in {200, 422}, answer.text
                told = [] if answer.headers["content-type"] != NDJSON else answer.content.splitlines()[:-1]
                assert len(stored(season)) <= len(told)
                assert (await post(season, content, query, media=media)).status_code == answer.status_code
                assert list(audit(database)) == []


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Service:
    return Service(tmp_path_factory.mktemp("fuzz"))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sent=ANY, query=st.sampled_from(QUERIES))
def test_a_broken_file_is_answered_and_leaves_whole_games(
    service: Service, sent: tuple[str, bytes], query: str
) -> None:
    asyncio.run(service.send(*sent, query))


@pytest.mark.parametrize("media", FILES)
@pytest.mark.parametrize("other", FILES)
def test_a_file_under_another_files_type_is_answered(service: Service, media: str, other: str) -> None:
    asyncio.run(service.send(media, FILES[other], ""))
