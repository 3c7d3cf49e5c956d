"""Games of a season that a club does not show yet: those of a stage or a day, and all later ones."""

from datetime import date
from typing import NamedTuple, Self, cast

from sqlalchemy import Column, ColumnElement, Table, or_

from app.scoring.terms import STAGES, Stage


class HiddenGames(NamedTuple):
    """From where on games are hidden: one of both is given."""

    stage: str | None = None
    """A stage of a tournament. Games without a stage are shown."""
    day: date | None = None
    """The day they were played on."""

    @classmethod
    def of(cls, stage: str | None, day: date | None) -> Self | None:
        """Those that a season's row tells of; None where it hides nothing."""
        return None if stage is None and day is None else cls(stage, day)

    def has(self, played_on: date, stage: str | None) -> bool:
        """Whether a game of this day and stage is hidden."""
        return (self.day is not None and played_on >= self.day) or stage in self._stages

    def shown_in(self, table: Table) -> list[ColumnElement[bool]]:
        """What holds for the rows of a table, of games or entries, that are not hidden."""
        of_stage: Column[str] = table.c.stage
        limits: list[ColumnElement[bool]] = []
        if self.day is not None:
            limits.append(table.c.played_on < self.day)
        if self.stage is not None:
            limits.append(or_(of_stage.is_(None), of_stage.not_in(self._stages)))
        return limits

    @property
    def _stages(self) -> tuple[str, ...]:
        """The hidden stages, in the order in which they are played."""
        return () if self.stage is None else STAGES[STAGES.index(cast(Stage, self.stage)) :]
