"""What else each parameter of each kind of rule could legally be; every such change must show in some answer."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final, TypeAlias

Change: TypeAlias = Callable[[Any], list[Any]]
"""From a parameter's JSON to other values; each of them must change some answer."""


def by(step: str) -> Change:
    """A number, raised or lowered by so much."""
    return lambda number: [Decimal(number) + Decimal(step)]


def count_by(step: int) -> Change:
    """A whole number, raised or lowered by so many."""
    return lambda number: [number + step]


def or_else(absent: Any, change: Change) -> Change:
    """What may be null: from null to ``absent``; what is there is changed."""
    return lambda value: [absent] if value is None else change(value)


def each_by(step: str) -> Change:
    """Of named numbers, each in its turn."""
    return lambda numbers: [{**numbers, name: Decimal(number) + Decimal(step)} for name, number in numbers.items()]


def instead(first: Any, second: Any) -> Change:
    """One of two values, whichever it is not."""
    return lambda value: [second if value == first else first]


def each_left_out(values: list[Any]) -> list[Any]:
    """A list without each of its members in turn."""
    return [values[:i] + values[i + 1 :] for i in range(len(values))]


def other_order(columns: list[Any]) -> list[Any]:
    """Columns to order by, the last first; of one column, another."""
    return [columns[::-1]] if len(columns) > 1 else [["wins" if columns == ["games"] else "games"]]


def gone(_value: Any) -> list[Any]:
    return [None]


def opposite(flag: Any) -> list[Any]:
    return [not flag]


def other_words(text: dict[str, str]) -> list[Any]:
    return [{**text, language: "?"} for language in text]


def other_code(code: str) -> list[Any]:
    return [f"{code}_too"]


def one_more(formula: str) -> list[Any]:
    return [f"({formula}) + 1"]


MUTATIONS: Final[dict[str, dict[str, Change]]] = {
    "table": {
        "least": count_by(-1),
        "most": count_by(1),
        "roles.team": lambda team: [other for other in ("red", "black") if other != team],
        "counts.roles": lambda roles: [[other for other in ("citizen", "mafia") if [other] != roles][:1]],
        "counts.least": lambda least: [least + 1, *([least - 1] if least else [])],
        "counts.most": or_else(1, lambda most: [most + 1, most - 1]),
    },
    "win": {"points": by("0.1")},
    "auto_bonus": {"points": by("0.1")},
    "first_kill_compensation": {"roles": each_left_out, "points": by("0.1")},
    "best_move": {
        "roles": or_else(["citizen"], each_left_out),
        "three": by("0.1"),
        "two": by("0.1"),
        "one": by("0.1"),
        "none": by("0.1"),
    },
    "judge_bonus": {
        "winner.least": by("0.1"),
        "winner.most": by("-0.1"),
        "loser.least": by("0.1"),
        "loser.most": by("-0.1"),
        "draw": or_else({"least": 0, "most": 1}, gone),
        "draw.least": by("0.1"),
        "draw.most": by("-0.1"),
        "players": or_else(1, count_by(-1)),
        "total": or_else(1, by("-0.1")),
        "decimals": lambda decimals: [decimals - 1 if decimals else 1],
        "winner_consent": or_else({"at_least": "0.01", "by": "president"}, gone),
        "winner_consent.at_least": by("0.01"),
        "winner_consent.by": instead("president", "chief_judge"),
        "warns_of_penalised": opposite,
    },
    "conduct_penalties": {
        "points": by("0.1"),
        "acts.code": other_code,
        "acts.name": other_words,
        "acts.roles": or_else(["mafia"], each_left_out),
        "acts.when": instead("lost", "always"),
        "acts.consent": or_else("president", gone),
    },
    "removal_penalty": {
        "points": by("0.1"),
        "when": instead("lost", "always"),
        "spares_harmless": opposite,
        "ppk_replaces_removal": opposite,
    },
    "ppk_penalty": {"points": by("0.1")},
    "games_bonus": {"format": or_else("tournament", instead("season", "tournament")), "per_game": by("1")},
    "negative_points": {"format": or_else("tournament", gone), "negative_points": instead("letter", "signed")},
    "participation": {"format": or_else("tournament", gone), "factor": by("0.1"), "decimals": count_by(1)},
    "first_kill_coefficient": {
        "format": instead("season", "tournament"),
        "roles": each_left_out,
        "stages": lambda stages: [*each_left_out(stages), [*stages, "final"]],
        "most": by("0.1"),
        "share": by("0.1"),
    },
    "difficulty_coefficient": {
        "format": instead("season", "tournament"),
        "participants": lambda participants: [participants - 1, participants + 1],
    },
    "registration": {"default": opposite},
    "columns": {
        "format": or_else("season", instead("season", "tournament")),
        "columns.key": other_code,
        "columns.label": other_words,
        "columns.formula": one_more,
        "columns.decimals": count_by(1),
        "columns.tournament_decimals": or_else(6, count_by(1)),
        "columns.unit": or_else("%", gone),
    },
    "order": {"by": other_order},
    "tie_breakers": {"by": lambda by: each_left_out(by) or [["games"]], "lot": opposite},
    "publication": {"games": lambda games: [games - 1, games + 1]},
    "award": {
        "code": other_code,
        "name": other_words,
        "by": instead("points", "rating"),
        "places": lambda places: [places + 1, *([places - 1] if places > 1 else [])],
    },
    "days_lived": {
        "per_day": by("0.1"),
        "multiplier": each_by("1"),
        "draw_makers": lambda makers: [makers - 1, makers + 1],
        "draw_per_day": by("0.1"),
        "most_days": lambda days: [days - 1, days + 1],
    },
    "night_record": {"roles": each_left_out, "healer": instead("doctor", "commissar")},
    "night_kill": {
        "role": instead("sheriff", "doctor"),
        "results": each_left_out,
        "killed": each_by("0.1"),
        "healed": each_by("0.1"),
    },
    "night_heal": {
        "role": instead("doctor", "sheriff"),
        "results": each_left_out,
        "saved": each_by("0.1"),
        "unsaved": each_by("0.1"),
    },
    "night_check": {"role": instead("commissar", "doctor"), "results": each_left_out, "checked": each_by("0.1")},
}
"""By kind (and the table) and parameter, dotted where a parameter has parts: what else it could legally be."""

NOT_PARAMETERS: Final = {"kind", "readings", "table.roles.name"}
"""What tells rules apart, and words that the system is served with and no answer repeats."""

WITHOUT_EFFECT: Final = {
    "maffamily 5: removal_penalty.ppk_replaces_removal": "there is no PPK that could replace a removal",
    "sport-percent season: columns.rating.tournament_decimals": "no tournament has this column",
}
"""The titles of parameters that change no answer, and why."""

HELD_TOGETHER: Final = {"columns.format", "columns.columns.key", "order.by", "award.by"}
"""Parameters that refer to each other: a change may be refused when the system is made, which is an answer too."""


NOT_BUILT_IN: Final = {
    "compensation",
    "exit_points",
    "foul_points",
    "limit",
    "marks",
    "night_points",
    "protocol",
    "result_points",
    "team_marks",
    "vote_points",
    "weight",
}
"""Kinds that no built-in regulation uses: tests/scoring/test_kinds.py and the catalogue's cases show what they do."""

ABSENT: Final = {"roles", "when", "unless", "by_role", "by_result", "by_reason", "acts.points", "acts.counted"}
"""Parameters that no built-in regulation names where they are null or false; tested alike."""
