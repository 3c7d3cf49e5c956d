"""Every fact of a game has a column: what is written reads as the same game, whatever the format."""

import io
from collections.abc import Callable, Iterable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.scoring.game import Game
from app.sheets import read_csv, read_ndjson, read_xlsx, write_csv, write_ndjson, write_xlsx
from app.sheets.vocabulary.columns import COLUMNS
from app.sheets.writing.rows import Language
from tests.league import SEASONS, lines_of
from tests.scoring.any_game import faulty_games, seasons
from tests.sheets.any_text import GAMES

SYSTEMS = ("maffamily", "sport-percent", "city-average")
Through = Callable[[Iterable[Game]], list[Game | None]]


def _through_ndjson(games: Iterable[Game]) -> list[Game | None]:
    return [read.game for read in read_ndjson(write_ndjson(games))]


def _through_csv(language: Language) -> Through:
    return lambda games: [read.game for read in read_csv(write_csv(games, language))]


def _through_xlsx(language: Language) -> Through:
    def through(games: Iterable[Game]) -> list[Game | None]:
        file = io.BytesIO()
        write_xlsx(games, file, language)
        return [read.game for read in read_xlsx(file)]

    return through


FORMATS: dict[str, Through] = {
    "ndjson": _through_ndjson,
    "csv": _through_csv("en"),
    "csv in Russian": _through_csv("ru"),
    "xlsx": _through_xlsx("en"),
    "xlsx in Russian": _through_xlsx("ru"),
}


@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_games_of_every_regulation_come_back_equal_from_every_format(data: st.DataObject) -> None:
    system = data.draw(st.sampled_from(SYSTEMS))
    wires: list[dict[str, Any]] = data.draw(seasons(system, "tournament", most=3))
    games = [Game.read(wire) for wire in [*wires, data.draw(faulty_games(system))]]
    assert {name: through(games) for name, through in FORMATS.items()} == dict.fromkeys(FORMATS, games)


@settings(max_examples=60, deadline=None)
@given(games=st.lists(GAMES, max_size=3))
def test_any_texts_and_numbers_come_back_equal_from_every_format(games: list[Game]) -> None:
    assert {name: through(games) for name, through in FORMATS.items()} == dict.fromkeys(FORMATS, games)


def test_a_real_league_goes_through_csv_and_xlsx_and_comes_back_equal() -> None:
    for name in SEASONS:
        games = [read.game for read in read_ndjson(line + b"\n" for line in lines_of(name))]
        facts = [game for game in games if game is not None]
        assert len(facts) == len(games) == len(lines_of(name))
        from_csv = [game for game in _through_csv("ru")(facts) if game is not None]
        from_xlsx = [game for game in _through_xlsx("ru")(from_csv) if game is not None]
        assert _through_ndjson(from_xlsx) == games


NOT_IN_SHEETS = {"exit", "marks", "protocols", "team_marks", "votes"}
"""What only NDJSON has (docs/import.md)."""


def test_there_is_a_column_for_every_field_of_a_game_and_a_seat() -> None:
    of_game = set(Game.model_fields) - {"seats"} | {"best_move"}
    of_seat = set(Game.model_fields["seats"].annotation.__args__[0].model_fields)  # type: ignore[union-attr]
    assert {column.field for column in COLUMNS} == (of_game | of_seat | {"game"}) - NOT_IN_SHEETS


def test_the_external_id_is_told_beside_the_game() -> None:
    wire = {"external_id": "a-1", "outcome": "red", "seats": []}
    assert [read.external_id for read in read_csv(write_csv([Game.read(wire)]))] == ["a-1"]
    assert [read.external_id for read in read_ndjson(write_ndjson([Game.read(wire)]))] == ["a-1"]
