"""What is frozen is read again as the very same tables."""

from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.nickname import folded
from app.scoring.ranking import Lot, Standings, UnknownOrder
from app.scoring.rules.kind import SeasonLine
from app.scoring.tally import Tallies
from app.scoring.text import words
from app.services.standings import frozen_tables
from app.web.render import render
from tests.scoring.golden import Golden, StandingsCase, golden_files

CASES = [
    pytest.param(golden, case, id=golden.titled(case))
    for golden in golden_files()
    for case in golden.standings
    if not case.violations
]


class Person(NamedTuple):
    id: int
    public_id: str
    nickname: str

    def __str__(self) -> str:
        return self.nickname


def tables_of(golden: Golden, case: StandingsCase) -> list[Standings]:
    """The case's table in every order of its system."""
    system = golden.regulation
    people: dict[str, Person] = {}

    def person(nickname: str) -> Person:
        return people.setdefault(folded(nickname), Person(len(people) + 1, f"p_{len(people)}", nickname))

    tallies = Tallies()
    for played in case.games:
        game = Game.read(loads(render(golden.facts(played))))
        for _ in range(played.times):
            system.examine(game, case.format).add_to(tallies, [person(seat.player) for seat in game.seats])
    lots = [Lot(tuple(person(player) for player in drawn)) for drawn in case.lots]
    return [system.rank(tallies, case.format, order, lots) for order in system.rankings[case.format].orders]


@pytest.mark.parametrize("golden, case", CASES)
def test_every_number_and_word_of_every_order_is_kept(golden: Golden, case: StandingsCase) -> None:
    tables = tables_of(golden, case)
    kept = frozen_tables.written(tables)
    assert frozen_tables.orders(kept) == [table.order for table in tables]
    assert frozen_tables.read(kept, None, Person) == tables[0]
    for table in tables:
        assert frozen_tables.read(kept, table.order, Person) == table


def test_a_reason_that_was_frozen_without_numbers_is_said_as_it_was() -> None:
    """As seasons have it that were closed before reasons said their numbers."""
    golden = next(golden for golden in golden_files() if golden.system == "maffamily")
    (table, *_) = tables_of(golden, golden.standings[0])
    then = SeasonLine("games_bonus", "rating", Fraction(30), words("за каждую сыгранную игру", "for each game played"))
    row = table.rows[0]._replace(season_lines=(("season", then),))
    kept = frozen_tables.written([table._replace(rows=(row, *table.rows[1:]))])
    ((_, line),) = frozen_tables.read(kept, None, Person).rows[0].season_lines
    assert (line.reason.say("ru", *line.args), line.points) == ("за каждую сыгранную игру", Fraction(30))


def test_an_order_that_was_not_frozen_is_unknown() -> None:
    golden = next(golden for golden in golden_files() if golden.system == "maffamily")
    kept = frozen_tables.written(tables_of(golden, golden.standings[0]))
    with pytest.raises(UnknownOrder) as refused:
        frozen_tables.read(kept, "luck", Person)
    assert refused.value.orders[:2] == ("rating", "points")
    assert set(refused.value.orders) >= {"games", "wins", "win_rate", "bonus"}


@pytest.mark.parametrize("value", [1.5, b"bytes", object()])
def test_what_json_would_not_keep_exactly_is_not_frozen(value: Any) -> None:
    golden = next(golden for golden in golden_files() if golden.system == "maffamily")
    (table, *_) = tables_of(golden, golden.standings[0])
    row = table.rows[0]
    spoilt = table._replace(rows=(row._replace(values={**row.values, "rating": value}), *table.rows[1:]))
    with pytest.raises(TypeError):
        frozen_tables.written([spoilt])
