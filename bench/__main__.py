"""``python -m bench [part …]``: measure, print a table, fail when a target is missed."""

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from bench import edge, fleet, imports, kept, live, stateless, typing, webhooks
from bench.verdict import Verdict, table

PARTS: Final[Mapping[str, Callable[[], Iterator[Verdict]]]] = {
    "http": stateless.over_http,
    "core": stateless.core,
    "standings": stateless.standings,
    "tables": kept.tables,
    "growth": kept.growth,
    "submissions": kept.submissions,
    "imports": imports.imports,
    "typing": typing.typing,
    "live": live.live,
    "webhooks": webhooks.webhooks,
    "edge": edge.edge,
    "fleet": fleet.fleet,
}


def main(named: list[str]) -> int:
    """Measure the named parts, by default all: 0 when every target is met, 1 when one is missed, 2 for a wrong name."""
    unknown = set(named) - set(PARTS)
    if unknown:
        print(f"no part {', '.join(sorted(unknown))}; there are: {', '.join(PARTS)}", file=sys.stderr)
        return 2
    verdicts = [verdict for name in named or PARTS for verdict in PARTS[name]()]
    print(table(verdicts))
    return 0 if all(verdict.met for verdict in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
