"""Games as NDJSON: a game a line, in the wire's form."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from app.scoring.game import Game


def write_ndjson(games: Iterable[Game]) -> Iterator[bytes]:
    """Each game's line, LF included: canonical facts, numbers with their exact decimals."""
    for game in games:
        facts = game.canonical()
        seats = ",".join(map(_seat, facts.pop("seats")))
        yield f'{_dumped(facts)[:-1]},"seats":[{seats}]}}\n'.encode()


def _seat(facts: dict[str, Any]) -> str:
    # The standard library writes no Decimal as a number.
    bonus = facts.pop("bonus", None)
    text = _dumped(facts)
    return text if bonus is None else f'{text[:-1]},"bonus":{bonus:f}}}'


def _dumped(facts: dict[str, Any]) -> str:
    return json.dumps(facts, ensure_ascii=False, separators=(",", ":"))
