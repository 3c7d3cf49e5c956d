"""A regulation in a YAML or JSON file: its value, and the line on which each part of it stands.

YAML is read by the core schema of YAML 1.2, numbers exactly: ``no`` is a word, ``0.1`` a decimal. Names of members are
always text, so ``1: 0.3`` is a seat.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple

import yaml

from app.cli.application import VERBATIM, CommandError
from app.scoring.exact_json import MalformedJSON, loads
from app.scoring.text import words

_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_CONSTANTS: Final[Mapping[str, bool | None]] = {"": None, "~": None, "null": None, "true": True, "false": False}
_WIDTH: Final = 110

_AT_LINE: Final = words("{}, строка {}: {}", "{}, line {}: {}")
_TWICE: Final = words("{}, строка {}: «{}» повторяется", "{}, line {}: {} is there twice")
_NO_TEXT: Final = words("{}, строка {}: имя должно быть строкой", "{}, line {}: expected a name")
_DEEP: Final = words("{}: слишком глубокая вложенность", "{}: nested too deeply")
_NOT_UTF8: Final = words("{}: файл не в UTF-8", "{}: not UTF-8")
_NO_OBJECT: Final = words("{}: файл должен содержать регламент", "{}: expected a rule system")


class RulesFile(NamedTuple):
    """What a file holds, and where."""

    system: Any
    cases: Any
    """None where the file has none."""
    lines: Mapping[str, int]
    """By JSON pointer: ``/system/clauses/0``, ``/cases/2``. The first line is 1."""

    def line_of(self, pointer: str) -> int:
        """The line of what a pointer leads to, or of the nearest part around it."""
        while pointer not in self.lines and pointer:
            pointer = pointer.rpartition("/")[0]
        return self.lines.get(pointer, 1)


def read_rules(content: bytes, name: str) -> RulesFile:
    """Read a system with ``cases`` in it, or an object of ``system`` and ``cases``.

    Args:
        name: of the file, for messages.

    Raises:
        CommandError: not YAML or JSON, a member twice, or no object.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CommandError(_NOT_UTF8, name) from None
    lines: dict[str, int] = {}
    is_json = text.lstrip().startswith("{")
    try:
        # A tab in JSON is a space, which YAML wants; within strings JSON has none.
        node = yaml.compose(text.replace("\t", " ") if is_json else text, Loader=yaml.BaseLoader)
        value = _value(node, "", lines, name)
        if is_json:
            value = loads(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise CommandError(_AT_LINE, name, mark.line + 1 if mark else 1, error.problem or error.context) from None
    except yaml.YAMLError as error:
        raise CommandError(VERBATIM, f"{name}: {error}") from None
    except MalformedJSON as error:
        raise CommandError(words("{}: " + error.reason.ru, "{}: " + error.reason.en), name) from None
    except RecursionError:
        raise CommandError(_DEEP, name) from None
    if not isinstance(value, dict):
        raise CommandError(_NO_OBJECT, name)
    if "system" in value:
        return RulesFile(value["system"], value.get("cases"), lines)
    cases = value.pop("cases", None)
    placed = {at if at.startswith("/cases") else f"/system{at}": line for at, line in lines.items()}
    return RulesFile(value, cases, placed)


def write_rules(document: Mapping[str, Any]) -> str:
    """The document as YAML that :func:`read_rules` reads to the same value."""
    return yaml.dump(dict(document), Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=_WIDTH)


def _value(node: Any, pointer: str, lines: dict[str, int], name: str) -> Any:
    lines.setdefault(pointer, node.start_mark.line + 1 if node is not None else 1)
    if isinstance(node, yaml.MappingNode):
        return dict(_members(node, pointer, lines, name))
    if isinstance(node, yaml.SequenceNode):
        return [_value(member, f"{pointer}/{i}", lines, name) for i, member in enumerate(node.value)]
    if node is None or node.style is not None:
        return node and node.value
    if node.value in _CONSTANTS:
        return _CONSTANTS[node.value]
    return loads(node.value) if _NUMBER.fullmatch(node.value) else node.value


def _members(node: Any, pointer: str, lines: dict[str, int], name: str) -> Iterator[tuple[str, Any]]:
    seen = set()
    for key, member in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise CommandError(_NO_TEXT, name, line)
        if key.value in seen:
            raise CommandError(_TWICE, name, line, key.value)
        seen.add(key.value)
        below = f"{pointer}/{key.value.replace('~', '~0').replace('/', '~1')}"
        lines.setdefault(below, line)
        yield key.value, _value(member, below, lines, name)


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        """Write everything out."""
        return True

    def decimal(self, value: Decimal) -> yaml.ScalarNode:
        return self.represent_scalar("tag:yaml.org,2002:float", f"{value:f}")

    def text(self, value: str) -> yaml.ScalarNode:
        plain = value in _CONSTANTS or _NUMBER.fullmatch(value)
        return self.represent_scalar("tag:yaml.org,2002:str", value, style='"' if plain else None)


_Dumper.add_representer(Decimal, _Dumper.decimal)
_Dumper.add_representer(str, _Dumper.text)
