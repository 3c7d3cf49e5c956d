"""The page of readings says what the regulations say."""

from app.scoring.systems import newest_systems
from tests.scoring.readings import PAGE, page


def test_the_page_of_readings_is_made_from_the_regulations() -> None:
    assert PAGE.read_text("utf-8") == page(newest_systems()), "docs/readings.md is stale: run `make docs`"


def test_every_reading_is_on_the_page_in_both_languages() -> None:
    said = " ".join(PAGE.read_text("utf-8").split())
    for system in newest_systems():
        for reading in (*system.table.readings, *(one for clause in system.clauses for one in clause.readings)):
            assert " ".join(reading.ru.split()) in said
            assert " ".join(reading.en.split()) in said
