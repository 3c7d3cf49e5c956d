"""Examples for the documentation: a game for each regulation."""

from typing import Any, Final

_TEN: Final = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fox", "Gus", "Hal", "Ida", "Joe")


def _seats(*roles: str, **more: dict[str, Any]) -> list[dict[str, Any]]:
    """Seats in order; ``s4={...}`` adds to seat 4."""
    return [
        {"seat": number, "player": player, "role": role, **more.get(f"s{number}", {})}
        for number, (player, role) in enumerate(zip(_TEN, roles, strict=False), 1)
    ]


MAFFAMILY_GAME: Final[dict[str, Any]] = {
    "external_id": "2025-03-14/1/2",
    "played_on": "2025-03-14",
    "table": 1,
    "number": 2,
    "judge": "Kim",
    "outcome": "black",
    "seats": _seats(
        "citizen", "citizen", "citizen", "sheriff", "citizen", "citizen", "citizen", "mafia", "mafia", "don",
        s4={"bonus": 0.3, "bonus_note": "named two of three"},
        s5={"removed": True, "fouls": 4},
        s10={"bonus": "0,4"},
    ),
    "first_kill": {"seat": 4, "best_move": [3, 8, 9]},
}  # fmt: skip
"""Red lost; the sheriff at seat 4 was shot first, named two blacks of three and got 0.3: 1.05 in all."""

SPORT_PERCENT_GAME: Final[dict[str, Any]] = {
    "played_on": "2025-04-05",
    "stage": "qualifying",
    "outcome": "red",
    "seats": _seats(
        "don", "citizen", "citizen", "sheriff", "mafia", "citizen", "citizen", "mafia", "citizen", "citizen",
        s2={"bonus": 0.5},
        s4={"bonus": 0.3},
        s5={"bonus": 0.2, "penalties": ["black_fake_sheriff"]},
        s8={"removed": True},
    ),
    "first_kill": {"seat": 3, "best_move": [1, 5, 8]},
    "ppk": 8,
}  # fmt: skip

CITY_AVERAGE_GAME: Final[dict[str, Any]] = {
    "outcome": "maniac",
    "seats": _seats(
        "citizen", "sheriff", "doctor", "commissar", "maniac", "mafia", "don",
        s5={"days_lived": 5},
        s7={"registered": False},
    ),
    "first_kill": {"seat": 1},
    "night_actions": [
        {"night": 1, "seat": 2, "target": 6},
        {"night": 1, "seat": 3, "target": 4, "saved": True},
        {"night": 2, "seat": 4, "target": 7},
    ],
}  # fmt: skip
"""The maniac won on day 5: twice the days he lived, 10."""

GAMES: Final[dict[str, tuple[str, object]]] = {
    "maffamily": ("maffamily: a sheriff shot first, and red lost", MAFFAMILY_GAME),
    "sport-percent": ("sport-percent: a qualifying game that ended by PPK", SPORT_PERCENT_GAME),
    "city-average": ("city-average: the maniac won on day 5", CITY_AVERAGE_GAME),
}

RANKINGS: Final[dict[str, tuple[str, object]]] = {
    "maffamily": ("maffamily: a season of one game, by points", {
        "format": "season", "order": "points", "games": [MAFFAMILY_GAME],
    }),
    "sport-percent": ("sport-percent: a tournament with a lot drawn at the table", {
        "format": "tournament", "games": [SPORT_PERCENT_GAME],
        "lots": [{"group": ["Fox", "Gus", "Ida", "Joe"], "drawn": ["Ida", "Gus", "Joe", "Fox"]}],
    }),
    "city-average": ("city-average: a season of one game", {"format": "season", "games": [CITY_AVERAGE_GAME]}),
}  # fmt: skip

VALIDATIONS: Final[dict[str, tuple[str, object]]] = {
    "duel": ("A system of two clauses for three seats, with one worked game", {
        "system": {
            "id": "club:demo:duel", "version": 1, "title": {"en": "Duel"}, "source": "An example",
            "table": {
                "least": 3, "most": 3,
                "roles": {
                    "citizen": {"team": "red", "name": {"ru": "мирный житель", "en": "citizen"}},
                    "mafia": {"team": "black", "name": {"ru": "мафия", "en": "mafia"}},
                },
                "counts": [{"roles": ["citizen"], "least": 2, "most": 2}],
            },
            "clauses": [
                {"number": "1", "text": {"ru": "Победителю — 3 балла.", "en": "A winner gets 3 points."},
                 "rules": [{"kind": "win", "points": 3}]},
                {"number": "2", "text": {"ru": "Места — по баллам.", "en": "Places go by points."}, "rules": [
                    {"kind": "columns", "columns": [
                        {"key": "points", "label": {"ru": "Баллы", "en": "Points"}, "formula": "points"},
                    ]},
                    {"kind": "order", "by": ["points"]},
                ]},
            ],
        },
        "cases": [{
            "name": "red won",
            "game": {"outcome": "red", "seats": [
                {"seat": 1, "player": "Ann", "role": "citizen"}, {"seat": 2, "player": "Bob", "role": "citizen"},
                {"seat": 3, "player": "Cid", "role": "mafia"},
            ]},
            "expected": {"points": {"1": 3, "2": 3, "3": 0}},
        }],
    }),
}  # fmt: skip
