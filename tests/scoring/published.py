"""The lock of published regulations: what of a version may never change, and the file that remembers it.

``python -m tests.scoring.published`` (``make lock-regulations``) adds the versions that the lock does not name yet. A
line that is there is never rewritten.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from pydantic import BaseModel

from app.scoring.rule_system import RuleSystem
from app.scoring.systems import all_systems, catalogue_systems
from app.scoring.text import Text
from tests.scoring.golden import FOLDER

LOCK: Final = FOLDER / "published.lock"
CATALOGUE_LOCK: Final = FOLDER / "catalogue" / "published.lock"

Fingerprints: TypeAlias = Mapping[tuple[str, int], str]
"""By id and version."""

_WORDS: Final = ("source", "readings")
"""Fields that hold words for people and are no :class:`Text`."""


def fingerprint(system: RuleSystem) -> str:
    """The SHA-256, in hex, of all that decides points and places: every parameter and name, but no words for people.

    A parameter that is null or false counts as absent: a kind of rule may get a new one that is off where a regulation
    does not name it.
    """
    return hashlib.sha256(json.dumps(_decisive(system), sort_keys=True).encode()).hexdigest()


def _decisive(part: object) -> Any:
    match part:
        case BaseModel():
            fields = {name: getattr(part, name) for name in type(part).model_fields if name not in _WORDS}
            shown = {name: value for name, value in fields.items() if not isinstance(value, Text)}
            return {name: _decisive(value) for name, value in shown.items() if value is not None and value is not False}
        case dict():
            return {key: _decisive(value) for key, value in part.items()}
        case tuple():
            return [_decisive(member) for member in part]
        case _:
            return part


def fingerprints(systems: Iterable[RuleSystem]) -> Fingerprints:
    """What the lock should say of these systems."""
    return {(system.id, system.version): fingerprint(system) for system in systems}


def read(lock: str) -> Fingerprints:
    """What the text of a lock says: a line for each version, ``#`` begins a comment."""
    lines = [line.split() for line in lock.splitlines() if line and not line.startswith("#")]
    return {(id, int(version)): digest for id, version, digest in lines}


def with_new(lock: str, systems: Fingerprints) -> str:
    """The text of a lock with a line more for each version that it does not name."""
    locked = read(lock)
    added = [f"{id} {version} {digest}\n" for (id, version), digest in systems.items() if (id, version) not in locked]
    return lock + "".join(added)


def differences(locked: Fingerprints, systems: Fingerprints) -> Iterator[str]:
    """A sentence for each version that is not as it was published, and what to do."""
    for (id, version), digest in locked.items():
        name = f"{id} version {version}"
        if (id, version) not in systems:
            yield f"{name} is published and gone: restore its file (see CONTRIBUTING.md)"
        elif systems[id, version] != digest:
            newest = max(number for of, number in (*locked, *systems) if of == id)
            yield f"{name} was changed after publication: restore it and add version {newest + 1} (see CONTRIBUTING.md)"
    for id, version in systems:
        if (id, version) not in locked:
            yield f"{id} version {version} is not in published.lock: run `make lock-regulations` (see CONTRIBUTING.md)"


if __name__ == "__main__":
    for lock, systems in ((LOCK, all_systems()), (CATALOGUE_LOCK, catalogue_systems())):
        lock.write_text(with_new(lock.read_text("utf-8"), fingerprints(systems)), "utf-8")
