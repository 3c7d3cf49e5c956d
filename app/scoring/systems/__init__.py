"""The built-in regulations: one file each, found by being here."""

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from app.scoring.rule_system import RuleSystem
from app.scoring.text import Text, words


class UnknownRuleSystem(LookupError):
    """There is no such system, or not in that version; ``text`` says what there is."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text


@cache
def _built_in() -> dict[tuple[str, int], RuleSystem]:
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    systems = [value for module in modules for value in vars(module).values() if isinstance(value, RuleSystem)]
    return {(system.id, system.version): system for system in systems}


def newest_systems() -> tuple[RuleSystem, ...]:
    """The newest version of each built-in system, by id."""
    newest = {system.id: system for _, system in sorted(_built_in().items())}
    return tuple(newest.values())


@cache
def find_system(id: str, version: int | None = None) -> RuleSystem:
    """The built-in system ``id``, in its newest version unless one is named.

    Raises:
        UnknownRuleSystem: there is none; the message suggests a close id.
    """
    versions = {number: system for (name, number), system in _built_in().items() if name == id}
    if not versions:
        near = get_close_matches(id, [name for name, _ in _built_in()], 1)
        ru, en = (f"; может быть, {near[0]}?", f"; did you mean {near[0]}?") if near else ("", "")
        raise UnknownRuleSystem(words(f"нет регламента с таким id{ru}", f"no rule system of that id{en}"))
    if version is None:
        return versions[max(versions)]
    if version not in versions:
        known = ", ".join(map(str, sorted(versions)))
        raise UnknownRuleSystem(
            words(f"у {id} нет версии {version}; есть: {known}", f"{id} has no version {version}; it has {known}")
        )
    return versions[version]
