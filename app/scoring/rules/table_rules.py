"""How a table of players is made: who is in it, its columns, its order, who is published, and what the places give."""

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.scoring.rules.kind import GameRule, Rule
from app.scoring.terms import Format
from app.scoring.text import Text


class Registration(GameRule):
    """Only seats whose player was registered before the game (``default`` where the judge wrote nothing) are rated; the
    others see their points and are left out of every sum.
    """

    reads: ClassVar[frozenset[str]] = frozenset({"registered"})

    kind: Literal["registration"] = "registration"
    default: bool


class Column(BaseModel):
    """A column of the table: its formula, and the decimals that it is written with (``tournament_decimals``: there)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: Annotated[str, Field(pattern="^[a-z][a-z0-9_]{0,63}$")]
    label: Text
    formula: str
    decimals: Annotated[int, Field(ge=0, le=6)] = 0
    tournament_decimals: Annotated[int, Field(ge=0, le=6)] | None = None
    unit: str | None = None


class Columns(Rule):
    """Columns of the table, each a formula over tallies and the columns before it; ``format``: only there."""

    repeatable: ClassVar[bool] = True

    kind: Literal["columns"] = "columns"
    format: Format | None = None
    columns: tuple[Column, ...]


class Order(Rule):
    """The table goes by the first of the columns ``by``, or by another of them on request; the most comes first."""

    kind: Literal["order"] = "order"
    by: Annotated[tuple[str, ...], Field(min_length=1)]


class TieBreakers(Rule):
    """Equal players are ordered by these formulas, one after another, the most first; with ``lot``, by lot at last."""

    kind: Literal["tie_breakers"] = "tie_breakers"
    by: tuple[str, ...]
    lot: bool


class Publication(Rule):
    """Only players with at least ``games`` games are published and ranked."""

    kind: Literal["publication"] = "publication"
    games: Annotated[int, Field(ge=0)]


class Award(Rule):
    """The published players with the ``places`` highest values of the column ``by``, ties at the cut included."""

    repeatable: ClassVar[bool] = True

    kind: Literal["award"] = "award"
    code: str
    name: Text
    by: str
    places: Annotated[int, Field(ge=1)]
