"""Seasons of a real league, and what was counted in them without this project's code: tests/data/league/README.md.

``MAFRATE_TEST_LEAGUE`` names a folder with other seasons of it; those that stand here must be among them.
"""

import json
import os
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(os.environ.get("MAFRATE_TEST_LEAGUE") or Path(__file__).parent / "data" / "league")
EXPECTED: Final[dict[str, Any]] = json.loads((FOLDER / "expected.json").read_text(), parse_float=Decimal)
SEASONS: Final = sorted(path.stem for path in FOLDER.glob("s*.ndjson"))
COUNTED: Final = sorted(EXPECTED)
"""The seasons of which something was counted."""
SYSTEMS: Final = ("maffamily", "sport-percent")
"""The regulations under which it was counted."""
VERSION: Final = 1
"""Their version: what was counted under it stays true when there is a newer one."""


def lines_of(season: str) -> list[bytes]:
    """The games of a season as they are sent, one by one."""
    return (FOLDER / f"{season}.ndjson").read_bytes().splitlines()


def top_of(table: dict[str, Any]) -> list[dict[str, Any]]:
    """The first ten rows of a table as EXPECTED has them."""
    return [
        {
            "rank": row["rank"],
            "player": row["player"]["nickname"],
            **{key: row["values"][key] for key in ("games", "wins", "points", "rating")},
        }
        for row in table["rows"][:10]
    ]
