"""Every kind of rule, described for whoever writes a regulation or an editor of regulations."""

import inspect
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Literal, NamedTuple, TypeAlias

from app.scoring import rules
from app.scoring.rules.kind import KINDS, GameRule, Rule, SeasonRule
from app.scoring.text import Text

Sees: TypeAlias = Literal["game", "season", "table"]


class RuleKind(NamedTuple):
    """What a kind does, what it takes, and what it gives."""

    kind: str
    sees: Sees
    """One game, all games of a season or tournament, or the table that they make."""
    description: Text
    parameters: Mapping[str, Any]
    """JSON Schema of the rule as an object, ``kind`` included."""
    repeatable: bool
    """Whether a system may have more than one rule of the kind."""
    reads: Sequence[str]
    """The fields of a game that only have a meaning where such a rule reads them."""
    codes: Sequence[str]
    """Of the lines that it can give."""
    names: Sequence[str]
    """That formulas may ask for because of it."""


@cache
def rule_kinds() -> tuple[RuleKind, ...]:
    """Every kind by name."""
    for module in iter_modules(rules.__path__):  # a kind is known once its module is imported
        import_module(f"{rules.__name__}.{module.name}")
    return tuple(_described(KINDS[name]) for name in sorted(KINDS))


def _described(kind: type[Rule]) -> RuleKind:
    codes = sorted(kind.codes) if issubclass(kind, GameRule) else []
    of_season = list(kind.gives) if issubclass(kind, SeasonRule) else []
    return RuleKind(
        kind=kind.model_fields["kind"].default,
        sees="game" if issubclass(kind, GameRule) else "season" if issubclass(kind, SeasonRule) else "table",
        description=Text(ru=_plain(kind.ru), en=_plain(inspect.getdoc(kind) or "")),
        parameters=_without_titles(kind.model_json_schema()),
        repeatable=kind.repeatable,
        reads=sorted(kind.reads) if issubclass(kind, GameRule) else [],
        codes=codes,
        names=of_season + [f"{measure}_{code}" for code in codes for measure in ("n", "p")],
    )


def _plain(text: str) -> str:
    """A docstring as a text: a line for each paragraph, names between single backticks."""
    return "\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n")).replace("``", "`")


def _without_titles(schema: Any) -> Any:
    """The schema without the titles that pydantic makes of the names, and without the docstring of the whole."""
    if isinstance(schema, dict):
        # A property may be called title: there it is a schema, not a text.
        return {
            name: _without_titles(value)
            for name, value in schema.items()
            if not (name in {"title", "description"} and isinstance(value, str))
        }
    return [_without_titles(part) for part in schema] if isinstance(schema, list) else schema
