"""The built-in regulations: a file for each version, found by being here; ``published.lock`` names the published."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from pkgutil import iter_modules
from typing import Any, NamedTuple

from app.scoring.exact_json import loads
from app.scoring.rule_system import RuleSystem
from app.scoring.suggestion import did_you_mean
from app.scoring.text import Text, words


class UnknownRuleSystem(LookupError):
    """There is no such system, or not in that version; ``text`` says what there is."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text


def by_version(systems: Iterable[RuleSystem]) -> dict[tuple[str, int], RuleSystem]:
    """The systems by id and version, sorted.

    Raises:
        ValueError: two different systems have the same id and version.
    """
    found: dict[tuple[str, int], RuleSystem] = {}
    for system in systems:
        if found.setdefault((system.id, system.version), system) != system:
            raise ValueError(f"two regulations are {system.id} version {system.version}; a new one needs a new version")
    return dict(sorted(found.items()))


@cache
def _built_in() -> dict[tuple[str, int], RuleSystem]:
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return by_version(value for module in modules for value in vars(module).values() if isinstance(value, RuleSystem))


def all_systems() -> tuple[RuleSystem, ...]:
    """Every version of each built-in system, by id and version."""
    return tuple(_built_in().values())


def newest_systems() -> tuple[RuleSystem, ...]:
    """The newest version of each built-in system, by id."""
    return tuple({system.id: system for system in all_systems()}.values())


def _catalogue_files() -> Traversable:
    return files(__name__) / "catalogue"


@cache
def catalogue_ids() -> tuple[str, ...]:
    """The ids of the published scorings in the catalogue, without reading any of them."""
    names = [entry.name for entry in _catalogue_files().iterdir()]
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))


class CatalogueEntry(NamedTuple):
    """A published scoring: its year, the system, and worked games and tables as they were counted by hand."""

    year: int
    system: RuleSystem
    cases: Sequence[Mapping[str, Any]]


@cache
def catalogue_entry(id: str) -> CatalogueEntry:
    """The scoring ``id`` of the catalogue, read when it is first asked for.

    Raises:
        KeyError: there is none.
    """
    if id not in catalogue_ids():
        raise KeyError(id)
    entry: dict[str, Any] = loads((_catalogue_files() / f"{id}.json").read_bytes())
    return CatalogueEntry(entry["year"], RuleSystem.model_validate(entry["system"]), entry["cases"])


def catalogue_systems() -> tuple[RuleSystem, ...]:
    """Every scoring of the catalogue, by id."""
    return tuple(catalogue_entry(id).system for id in catalogue_ids())


@cache
def find_system(id: str, version: int | None = None) -> RuleSystem:
    """The built-in system or the scoring of the catalogue ``id``, in its newest version unless one is named.

    Raises:
        UnknownRuleSystem: there is none; the message suggests a close id.
    """
    versions = {number: system for (name, number), system in _built_in().items() if name == id}
    if not versions and id in catalogue_ids():
        system = catalogue_entry(id).system
        versions = {system.version: system}
    if not versions:
        names = [*(name for name, _ in _built_in()), *catalogue_ids()]
        ru, en = (did_you_mean(id, names, language) for language in ("ru", "en"))
        raise UnknownRuleSystem(words(f"нет такого регламента{ru}", f"no rule system has this ID{en}"))
    if version is None:
        return versions[max(versions)]
    if version not in versions:
        known = ", ".join(map(str, sorted(versions)))
        raise UnknownRuleSystem(
            words(
                f"у регламента «{id}» нет версии {version}; есть: {known}",
                f"{id} has no version {version}; it has {known}",
            )
        )
    return versions[version]
