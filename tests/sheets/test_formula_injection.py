"""No text of a game becomes a formula in the spreadsheet of who opens an export."""

import csv
import io
import re
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.scoring.game import Game
from app.sheets import neutral, read_csv, write_csv, write_xlsx
from app.sheets.vocabulary.cells import text_of
from app.sheets.writing.rows import Language
from tests.sheets.any_text import GAMES, texts

FORMULAS = ("=1+1", "=cmd|' /C calc'!A0", "+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", " =1", "＝1", "＋1", "－1", "＠1")
START = re.compile(r"[=+\-@\t\r＝＋－＠]")
NUMBER = re.compile(r"-?[0-9]+([.,][0-9]+)?")


def game(text: str) -> Game:
    nickname = re.sub(r"[\x00-\x1f]", "", text)
    seat = {"seat": 1, "player": nickname, "role": text, "bonus": -1, "bonus_note": text, "penalties": [text]}
    return Game.read({"external_id": nickname, "judge": nickname, "outcome": "red", "seats": [seat]})


def cells_of(games: list[Game], language: Language, delimiter: str) -> list[str]:
    """The cells as a spreadsheet sees them that splits rows at ``delimiter``."""
    body = b"".join(write_csv(games, language)).decode("utf-8-sig")
    return [cell for row in csv.reader(io.StringIO(body), delimiter=delimiter) for cell in row]


@pytest.mark.parametrize("text", FORMULAS)
@pytest.mark.parametrize("language", ["en", "ru"])
def test_no_cell_of_a_csv_starts_a_formula(text: str, language: Language) -> None:
    cells = cells_of([game(text)], language, ";" if language == "ru" else ",")
    assert [cell for cell in cells if START.match(cell) and not NUMBER.fullmatch(cell)] == []


@pytest.mark.parametrize("text", [f"a{mark}{formula}" for formula in FORMULAS for mark in ",;\t\n"])
@pytest.mark.parametrize("language, delimiter", [("en", ";"), ("en", "\t"), ("ru", ","), ("ru", "\t")])
def test_nor_does_one_where_a_spreadsheet_splits_cells_elsewhere(text: str, language: Language, delimiter: str) -> None:
    cells = cells_of([game(text)], language, delimiter)
    starts = [cell.lstrip() for cell in cells if START.match(cell.lstrip())]
    assert [cell for cell in starts if not NUMBER.match(cell)] == []


@settings(max_examples=60, deadline=None)
@given(games=st.lists(GAMES, max_size=2))
def test_whatever_the_facts_no_cell_starts_a_formula(games: list[Game]) -> None:
    for language in ("en", "ru"):
        cells = cells_of(games, language, ";" if language == "ru" else ",")
        assert [cell for cell in cells if START.match(cell) and not NUMBER.fullmatch(cell)] == []


@pytest.mark.parametrize("text", FORMULAS)
def test_the_mark_that_makes_text_harmless_goes_when_it_is_read(text: str) -> None:
    sent = game(text)
    assert [read.game for read in read_csv(write_csv([sent]))] == [sent]


@given(text=texts(0, 40, controls=True))
def test_what_is_made_harmless_is_the_same_text_when_read(text: str) -> None:
    assert text_of(neutral(text)) == text
    assert text_of(neutral(text, formulas=False)) == text


@pytest.mark.parametrize("text", ["Ann", "Мадам Ли", "'n Sync", "a-b", "1=1", "a+b@c.d", "Dr. No", "a, b; c"])
def test_harmless_text_stays_as_it_is(text: str) -> None:
    written = neutral(text)
    assert written in (text, f"'{text}")
    assert (written == text) == (text[0] != "'")


@pytest.mark.parametrize("text", FORMULAS)
def test_text_in_a_workbook_is_text(text: str) -> None:
    file = io.BytesIO()
    write_xlsx([game(text)], file)
    with zipfile.ZipFile(file) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
        styles = archive.read("xl/styles.xml").decode()
    assert re.search("<f[ >]", sheet) is None
    assert 'quotePrefix="1"' in styles
    assert not [name for name in archive.namelist() if "rels" in name and "sheet" in name]
