"""The page of readings, made from the regulations: ``python -m tests.scoring.readings`` (``make docs``) writes it."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from textwrap import fill
from typing import Final

from app.scoring.rule_system import RuleSystem
from app.scoring.systems import newest_systems
from app.scoring.table import Reading

PAGE: Final = Path(__file__).parents[2] / "docs" / "readings.md"
_HEAD: Final = """\
# Readings

A regulation is written for people and leaves room: it names no rounding, contradicts itself, or does not say what
happens in a draw. This page lists how mafrate reads each clause, and why. If a parameter holds the reading, its name
comes first. `GET /v1/rule-systems/{id}` returns the same texts.

The page is generated from `app/scoring/systems/`: `make docs` writes it, and a test fails when it is stale.
"""


def page(systems: Iterable[RuleSystem]) -> str:
    """The readings of these systems, in both languages, as Markdown."""
    return "\n".join([_HEAD, *(line for system in systems for line in _section(system))])


def _section(system: RuleSystem) -> Iterator[str]:
    yield f"## {system.id}, version {system.version}\n"
    yield f"{system.title.en}. {system.title.ru}.\n"
    yield from _readings("The table", system.table.readings)
    for clause in system.clauses:
        yield from _readings(f"Clause {clause.number}", clause.readings)


def _readings(title: str, readings: Sequence[Reading]) -> Iterator[str]:
    if not readings:
        return
    yield f"### {title}\n"
    for reading in readings:
        parameter = f"`{reading.parameter}`: " if reading.parameter else ""
        yield fill(f"- {parameter}{reading.en}", 120, subsequent_indent="  ", break_on_hyphens=False) + "\\"
        yield fill(reading.ru, 120, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    yield ""


if __name__ == "__main__":
    PAGE.write_text(page(newest_systems()), "utf-8")
