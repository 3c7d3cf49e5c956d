"""Whatever the bytes, a reader yields games and violations or says that it cannot read the file; nothing else."""

import io
import zipfile
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.scoring.game import Game
from app.scoring.violation import Violation
from app.sheets import ReadGame, read_csv, read_ndjson, read_xlsx, write_csv, write_ndjson, write_xlsx
from app.sheets.vocabulary.columns import COLUMNS
from app.validation import UnreadableFile
from tests.league import FOLDER
from tests.sheets.any_text import GAMES, SPICE
from tests.sheets.books import packed

SAMPLE = [
    Game.read(
        {
            "external_id": "a-1",
            "played_on": "2025-03-14",
            "judge": "Ёж",
            "outcome": "black",
            "seats": [
                {"seat": 1, "player": "=Ann", "role": "citizen", "bonus": "0,3", "penalties": ["broke_red_at_ten"]},
                {"seat": 2, "player": 'B"o;b', "role": "don", "bonus_note": "one\ntwo", "registered": True},
            ],
            "first_kill": {"seat": 1, "best_move": [1, 2, 3]},
            "night_actions": [{"night": 1, "seat": 1, "target": 2}],
        }
    )
] * 3


def xlsx(games: list[Game]) -> bytes:
    file = io.BytesIO()
    write_xlsx(games, file)
    return file.getvalue()


BODIES = {
    "ndjson": b"".join(write_ndjson(SAMPLE)),
    "csv": b"".join(write_csv(SAMPLE)),
    "csv in Russian": b"".join(write_csv(SAMPLE, "ru")),
    "xlsx": xlsx(SAMPLE),
}


with zipfile.ZipFile(io.BytesIO(BODIES["xlsx"])) as archive:
    PARTS = {name: archive.read(name) for name in archive.namelist() if name.endswith((".xml", ".rels"))}


def readers(body: bytes, cut: int = 17) -> list[Iterator[ReadGame]]:
    chunks = [body[start : start + cut] for start in range(0, len(body), cut)]
    return [read_ndjson(chunks), read_csv(chunks), read_xlsx(io.BytesIO(body))]


def told(reader: Iterator[ReadGame]) -> list[Violation]:
    """Everything that a reader says is wrong."""
    found: list[Violation] = []
    while True:
        try:
            read = next(reader)
        except StopIteration:
            return found
        except UnreadableFile as unreadable:
            return found + unreadable.violations
        assert (read.game is None) == bool(read.violations)
        assert read.line >= 1
        found += read.violations


def read_through(body: bytes) -> None:
    for reader in readers(body):
        for violation in told(reader):
            assert violation.pointer == "" or violation.pointer.startswith("/")
            said = (violation.message("ru"), violation.message("en"), violation.pointer, str(violation.actual))
            "".join(said).encode()


def damaged(body: bytes, data: st.DataObject, noise: st.SearchStrategy[bytes]) -> bytes:
    broken = bytearray(body)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(broken)))
        end = start + data.draw(st.integers(0, 12))
        broken[start:end] = data.draw(noise)
    return bytes(broken)


often = settings(max_examples=100, deadline=None)


@often
@given(body=st.binary(max_size=400))
@example(body=b"\xff\xfe\x00")
@example(body=b"\xef\xbb\xbf")
@example(body=b'game,seat,player,role,outcome\n"')
@example(body=b"game,seat,player,role,outcome\n\x00,\x00,\x00,\x00,\x00")
@example(body=b"PK\x05\x06" + b"\x00" * 18)
def test_any_bytes(body: bytes) -> None:
    read_through(body)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@often
@given(data=st.data())
def test_a_file_with_some_bytes_changed(body: bytes, data: st.DataObject) -> None:
    read_through(
        damaged(body, data, st.binary(max_size=6) | st.sampled_from((b'"', b"\n", b",", b";", b"\xe9", b"\x00")))
    )


XML = st.sampled_from(
    (b"<", b">", b'"', b"</c>", b"<row>", b'r="ZZ9"', b' t="s"', b' t="e"', b"<v>9e99</v>", b"&#0;", b"<c>")
)


@often
@given(part=st.sampled_from((*PARTS,)), data=st.data())
def test_a_workbook_with_some_bytes_of_a_part_changed(part: str, data: st.DataObject) -> None:
    contents = {**PARTS, part: damaged(PARTS[part], data, st.binary(max_size=6) | XML)}
    told(read_xlsx(packed(contents)))


CELLS = st.one_of(
    SPICE,
    st.text(max_size=6),
    st.integers().map(str),
    st.sampled_from(
        ("4", "да", "дон", "ничья", "3 8 9", "1>4", "1:2>4+", "[1", '["a"]', "03/04/2025", "0,3", "citizen")
    ),
)


@often
@given(
    columns=st.lists(st.sampled_from(COLUMNS), unique=True, max_size=6),
    rows=st.lists(st.lists(CELLS, max_size=12), max_size=6),
)
def test_a_sheet_of_any_cells(columns: list[object], rows: list[list[str]]) -> None:
    needed = ["game", "seat", "player", "role", "outcome"]
    names = [*needed, *(column.field for column in columns if getattr(column, "field", "game") not in needed)]  # type: ignore[attr-defined]
    lines = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in [names, *rows]]
    read_through("\n".join(lines).encode("utf-8", "replace"))


@often
@given(games=st.lists(GAMES, min_size=2, max_size=4), victim=st.integers(0, 3), noise=st.binary(min_size=1, max_size=8))
def test_noise_in_one_line_of_ndjson_spoils_no_other(games: list[Game], victim: int, noise: bytes) -> None:
    lines = list(write_ndjson(games))
    victim %= len(lines)
    lines[victim] = b"{" + noise.replace(b"\n", b"") + b"\n"
    found = {read.line: read.game for read in read_ndjson(lines)}
    assert found == {number: None if number == victim + 1 else game for number, game in enumerate(games, start=1)}


@pytest.mark.parametrize("size", range(0, len(BODIES["xlsx"]), 97))
def test_a_workbook_that_breaks_off(size: int) -> None:
    with pytest.raises(UnreadableFile):
        list(read_xlsx(io.BytesIO(BODIES["xlsx"][:size])))


def test_a_sheet_that_breaks_off_anywhere_gives_no_game_that_was_not_there() -> None:
    games = [read.game for read in read_ndjson([(FOLDER / "s00.ndjson").read_bytes()])][:3]
    body = b"".join(write_csv([game for game in games if game]))
    start = body.index(b"\n") + 1
    whole = [read.game for read in read_csv([body])]
    for end in range(start, len(body), 37):
        found = [read.game for read in read_csv([body[:end]])]
        assert found[:-1] == whole[: max(len(found) - 1, 0)]
