"""Published regulations stay as they were published (docs/decisions/0009-published-regulations.md)."""

from collections.abc import Callable
from typing import Any

import pytest

from app.scoring.exact_json import loads
from app.scoring.rule_system import RuleSystem
from app.scoring.systems import all_systems, by_version, find_system
from tests.scoring import published
from tests.scoring.published import LOCK, differences, fingerprint, fingerprints, with_new

CLUB = find_system("maffamily", 1)


def changed(change: Callable[[Any], None]) -> RuleSystem:
    """Version 1 of maffamily with something in its JSON changed."""
    body = loads(CLUB.model_dump_json())
    change(body)
    return RuleSystem.model_validate(body)


def best_move_of_a_half(body: Any) -> None:
    body["clauses"][2]["rules"][0]["three"] = "0.5"


def version_2(body: Any) -> None:
    body["version"] = 2


def test_every_published_version_is_as_it_was_published() -> None:
    assert "\n".join(differences(published.read(LOCK.read_text("utf-8")), fingerprints(all_systems()))) == ""


def test_a_change_is_told_with_what_to_do() -> None:
    locked, now = fingerprints([CLUB]), fingerprints([changed(best_move_of_a_half)])
    assert list(differences(locked, now)) == [
        "maffamily version 1 was changed after publication: restore it and add version 2 (see CONTRIBUTING.md)"
    ]


def test_a_change_of_an_older_version_asks_for_the_next_free_one() -> None:
    second = changed(version_2)
    locked, now = fingerprints([CLUB, second]), fingerprints([changed(best_move_of_a_half), second])
    [told] = differences(locked, now)
    assert "restore it and add version 3" in told


def test_a_version_that_is_gone_is_told() -> None:
    assert list(differences(fingerprints([CLUB]), {})) == [
        "maffamily version 1 is published and gone: restore its file (see CONTRIBUTING.md)"
    ]


def test_a_version_that_is_not_locked_is_told_until_it_is_added_without_touching_the_others() -> None:
    now = fingerprints([CLUB, changed(version_2)])
    lock = "# why\nmaffamily 1 abc\n"
    told = list(differences(published.read(lock), now))
    assert told[1:] == [
        "maffamily version 2 is not in published.lock: run `make lock-regulations` (see CONTRIBUTING.md)"
    ]

    longer = with_new(lock, now)

    assert longer == f"{lock}maffamily 2 {now['maffamily', 2]}\n"
    assert with_new(longer, now) == longer
    assert list(differences(published.read(longer), now)) == told[:1]


def clause_number(body: Any) -> None:
    body["clauses"][2]["number"] = "3a"


def formula(body: Any) -> None:
    body["clauses"][5]["rules"][1]["columns"][2]["formula"] = "k1 * k2"


def decimals(body: Any) -> None:
    body["clauses"][5]["rules"][1]["columns"][2]["decimals"] = 3


def role_of_a_penalty(body: Any) -> None:
    body["clauses"][4]["rules"][0]["acts"][0]["roles"] = None


def flag(body: Any) -> None:
    body["clauses"][3]["rules"][0]["warns_of_penalised"] = False


def seats(body: Any) -> None:
    body["table"]["counts"][0]["least"] = 0


@pytest.mark.parametrize(
    "change", [best_move_of_a_half, clause_number, formula, decimals, role_of_a_penalty, flag, seats]
)
def test_what_decides_points_or_places_is_locked(change: Callable[[Any], None]) -> None:
    assert fingerprint(changed(change)) != fingerprint(CLUB)


def other_words(body: Any) -> None:
    body["title"]["ru"] = body["source"] = "?"
    body["clauses"][2]["text"]["en"] = "?"
    body["clauses"][2]["readings"].clear()
    body["clauses"][4]["rules"][0]["acts"][0]["name"]["ru"] = "?"
    body["clauses"][5]["rules"][1]["columns"][2]["label"]["ru"] = "?"
    body["clauses"][6]["rules"][0]["name"]["en"] = "?"
    body["table"]["roles"]["don"]["name"]["en"] = "?"
    body["table"]["readings"].clear()


def test_words_may_be_corrected() -> None:
    assert changed(other_words) != CLUB
    assert fingerprint(changed(other_words)) == fingerprint(CLUB)


def test_two_regulations_of_one_version_are_refused() -> None:
    with pytest.raises(ValueError, match="two regulations are maffamily version 1; a new one needs a new version"):
        by_version([CLUB, changed(best_move_of_a_half)])
    assert list(by_version([changed(version_2), CLUB, CLUB])) == [("maffamily", 1), ("maffamily", 2)]
