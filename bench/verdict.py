"""What a comparison found, and the table of all of them."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple


class Verdict(NamedTuple):
    """Something measured beside its floor; a round of one is compared with the same round of the other."""

    name: str
    measured: Sequence[float]
    floor_name: str
    floor: Sequence[float]
    unit: str
    target: float
    at_least: bool
    """Whether the ratio must reach the target (a rate) or stay under it (a time)."""

    @property
    def ratio(self) -> float:
        """The median of the rounds' ratios: neighbours that slow a round down slow both down."""
        return median(mine / floor for mine, floor in zip(self.measured, self.floor, strict=True))

    @property
    def met(self) -> bool:
        """Whether the target is met."""
        return self.ratio >= self.target if self.at_least else self.ratio <= self.target


def table(verdicts: Iterable[Verdict]) -> str:
    """One line a verdict, in columns."""
    head = ("measured", "median", "beside", "median", "unit", "ratio", "target", "")
    lines = [head, *map(_cells, verdicts)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) if column in {0, 2, 4, 7} else cell.rjust(width) for column, cell, width in row)
        for row in ([(column, cell, widths[column]) for column, cell in enumerate(line)] for line in lines)
    )


def _cells(verdict: Verdict) -> tuple[str, ...]:
    return (
        verdict.name,
        f"{median(verdict.measured):,.1f}",
        verdict.floor_name,
        f"{median(verdict.floor):,.1f}",
        verdict.unit,
        f"{verdict.ratio:.2f}",
        f"{'>=' if verdict.at_least else '<='} {verdict.target:g}",
        "ok" if verdict.met else "MISSED",
    )
