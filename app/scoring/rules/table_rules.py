"""How a table of players is made: who is in it, its columns, its order, who is published, and what the places give."""

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.scoring.rules.kind import Fact, GameRule, Rule
from app.scoring.terms import Format
from app.scoring.text import Text


class Registration(GameRule):
    """Only seats of players registered before the game are rated (``default`` applies if the judge wrote nothing).
    Other seats show their points, which are left out of all sums.
    """

    reads: ClassVar[frozenset[str]] = frozenset({"registered"})
    ru: ClassVar[str] = (
        "Учитываются только места игроков, зарегистрированных до игры (``default`` — если судья ничего не "
        "указал). У остальных баллы видны, но ни в какие суммы не входят."
    )
    needs: ClassVar[frozenset[Fact]] = frozenset()

    kind: Literal["registration"] = "registration"
    default: bool


class Column(BaseModel):
    """A table column: its formula and the number of decimals shown (``tournament_decimals``: in tournaments)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: Annotated[str, Field(pattern="^[a-z][a-z0-9_]{0,63}$")]
    label: Text
    formula: str
    decimals: Annotated[int, Field(ge=0, le=6)] = 0
    tournament_decimals: Annotated[int, Field(ge=0, le=6)] | None = None
    unit: str | None = None


class Columns(Rule):
    """Table columns. Each is a formula over tallies and earlier columns; ``format`` limits them to one format."""

    repeatable: ClassVar[bool] = True
    ru: ClassVar[str] = (
        "Столбцы таблицы. Каждый — формула от сумм игрока и предыдущих столбцов; с ``format`` — только в "
        "сезонах или только в турнирах."
    )

    kind: Literal["columns"] = "columns"
    format: Format | None = None
    columns: tuple[Column, ...]


class Order(Rule):
    """The table is ordered by the first column of ``by``, or by another one on request, highest value first."""

    ru: ClassVar[str] = (
        "Таблица упорядочена по первому столбцу из ``by``, по запросу — по другому; наибольшее значение первое."
    )

    kind: Literal["order"] = "order"
    by: Annotated[tuple[str, ...], Field(min_length=1)]


class TieBreakers(Rule):
    """Players with equal results are ordered by these formulas in turn, highest value first; with ``lot``, finally by
    lot.
    """

    ru: ClassVar[str] = (
        "При равенстве игроков упорядочивают по этим формулам по очереди, наибольшее значение первое; с "
        "``lot`` — в конце жребий."
    )

    kind: Literal["tie_breakers"] = "tie_breakers"
    by: tuple[str, ...]
    lot: bool


class Publication(Rule):
    """Only players with at least ``games`` games are published and ranked."""

    ru: ClassVar[str] = "Публикуются и получают места только игроки, у которых не меньше ``games`` игр."

    kind: Literal["publication"] = "publication"
    games: Annotated[int, Field(ge=0)]


class Award(Rule):
    """An award for the published players with the ``places`` highest values in column ``by``, including ties at the
    cut.
    """

    repeatable: ClassVar[bool] = True
    ru: ClassVar[str] = (
        "Награда опубликованным игрокам, у которых в столбце ``by`` одно из ``places`` наибольших значений; "
        "равные на границе получают все."
    )

    kind: Literal["award"] = "award"
    code: str
    name: Text
    by: str
    places: Annotated[int, Field(ge=1)]
