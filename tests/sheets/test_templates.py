"""Templates: what they hold for each regulation, and that a filled one imports."""

import csv
import io
import re
import zipfile
from typing import Any

import pytest
from python_calamine import CalamineWorkbook, SheetVisibleEnum

from app.scoring.systems import find_system
from app.scoring.terms import Format
from app.sheets import csv_template, read_csv, read_xlsx, xlsx_template
from app.sheets.vocabulary.columns import column_named
from app.sheets.writing.rows import Language
from tests.sheets.books import written
from tests.sheets.sheet import ROLES, read

SYSTEMS = ("maffamily", "sport-percent", "city-average")
LANGUAGES: tuple[Language, ...] = ("en", "ru")
every_system = pytest.mark.parametrize("system", SYSTEMS)
every_language = pytest.mark.parametrize("language", LANGUAGES)


def rows_of(template: bytes) -> list[list[str]]:
    text = template.decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text), delimiter=";" if ";" in text else ","))


def fields(header: list[Any]) -> set[str]:
    columns = [column_named(name) for name in header]
    assert None not in columns
    return {column.field for column in columns if column}


@pytest.mark.parametrize(
    "system, format, some, none",
    [
        ("maffamily", "season", {"bonus", "penalties", "best_move"}, {"ppk", "days_lived", "stage", "registered"}),
        ("sport-percent", "tournament", {"bonus", "ppk", "stage"}, {"days_lived", "draw_makers"}),
        ("city-average", "season", {"days_lived", "registered", "draw_makers", "night_actions"}, {"bonus", "ppk"}),
    ],
)
def test_a_template_has_the_columns_of_its_regulation(
    system: str, format: Format, some: set[str], none: set[str]
) -> None:
    for language in LANGUAGES:
        found = fields(rows_of(csv_template(find_system(system), language, format))[0])
        assert found >= some | {"game", "seat", "player", "role", "outcome"}
        assert found & none == set()


@every_system
@every_language
def test_an_empty_template_holds_no_game(system: str, language: Language) -> None:
    regulation = find_system(system)
    assert list(read_csv([csv_template(regulation, language)])) == []
    assert list(read_xlsx(io.BytesIO(xlsx_template(regulation, language)))) == []


@every_language
def test_a_filled_csv_template_imports(language: Language) -> None:
    rows = rows_of(csv_template(find_system("maffamily"), language))
    at = {column.field: index for index, name in enumerate(rows[0]) if (column := column_named(name))}
    for row, role in zip(rows[1:], ROLES, strict=True):
        row[at["player"]], row[at["role"]] = f"Игрок {row[at['seat']]}", role
    rows[1][at["outcome"]] = "красные"
    (found,) = read("\n".join(";".join(row) for row in rows).encode("cp1251"))
    assert found.game is not None
    assert find_system("maffamily").check(found.game) == []


def choices(template: bytes) -> dict[str, list[str]]:
    """The drop-down list of each column, by its field."""
    with zipfile.ZipFile(io.BytesIO(template)) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    with CalamineWorkbook.from_filelike(io.BytesIO(template)) as book:
        header = book.get_sheet_by_index(0).to_python()[0]
        lists = book.get_sheet_by_name("lists").to_python(skip_empty_area=False)
    found = {}
    for source, place in re.findall(r'sqref="([A-Z]+)2:.*?<formula1>lists!\$([A-Z]+)\$1', sheet):
        at, kept = (ord(letters) - 65 for letters in (source, place))
        column = column_named(str(header[at]))
        assert column is not None
        found[column.field] = [str(row[kept]) for row in lists if row[kept]]
    return found


@every_system
@every_language
def test_every_choice_of_every_list_imports(system: str, language: Language) -> None:
    regulation = find_system(system)
    lists = choices(xlsx_template(regulation, language, "tournament"))
    assert set(lists) >= {"role", "outcome", "stage", "removed", "rated", "cancelled"}
    for field, words in lists.items():
        for word in words:
            columns = {"game": "1", "seat": "1", "player": "A", "role": "don", "outcome": "draw", field: word}
            (found,) = read((",".join(columns) + "\n" + ",".join(f'"{cell}"' for cell in columns.values())).encode())
            assert found.game is not None, (field, word)
    roles = [found.game.seats[0].role for word in lists["role"] if (found := one_role(word)).game]
    assert roles == list(regulation.table.roles)


def one_role(word: str) -> Any:
    (found,) = read(f"game,seat,player,role,outcome\n1,1,A,{word},draw".encode())
    return found


def test_penalties_may_be_typed_beside_the_list_and_roles_may_not() -> None:
    with zipfile.ZipFile(io.BytesIO(xlsx_template(find_system("maffamily")))) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    validations = re.findall("<dataValidation [^>]*>", sheet)
    assert len(validations) == len(choices(xlsx_template(find_system("maffamily"))))
    assert sum("showErrorMessage" not in validation for validation in validations) == 1


def test_a_filled_workbook_imports() -> None:
    template = xlsx_template(find_system("city-average"), "ru")
    with CalamineWorkbook.from_filelike(io.BytesIO(template)) as book:
        hidden = [sheet.name for sheet in book.sheets_metadata if sheet.visible is not SheetVisibleEnum.Visible]
        assert (book.sheet_names, hidden) == (["Игры", "lists", "Справка"], ["lists"])
        header, *rows = book.get_sheet_by_index(0).to_python()
    at = {column.field: index for index, name in enumerate(header) if (column := column_named(str(name)))}
    assert [row[at["seat"]] for row in rows[:21]] == [*range(1, 21), 1]
    for row, role in zip(rows, ("комиссар", "маньяк", "мафия", "мирный житель", "доктор"), strict=False):
        row[at["player"]], row[at["role"]] = f"Игрок {row[at['seat']]:.0f}", role
        row[at["registered"]] = "да"
    rows[0][at["outcome"]] = "ничья"
    rows[0][at["draw_makers"]] = "никто"
    file = written(lambda _book, sheet: [sheet.write_row(number, 0, row) for number, row in enumerate([header, *rows])])
    (found,) = read_xlsx(file)
    assert found.game is not None
    assert find_system("city-average").check(found.game) == []
