"""``mafrate rules``: a regulation in a file, with no service and no database (docs/write-your-regulation.md)."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import typer
from pydantic import ValidationError

from app.cli.application import AsJSON, application, example
from app.cli.environment import user_language
from app.cli.options import InLanguage
from app.cli.output import console, file_errors
from app.cli.rules_file import RulesFile, read_rules, write_rules
from app.schemas.common.problem import violation_wire
from app.schemas.rule_system_proof import RuleSystemProofIn, validated_wire
from app.scoring.exact_json import loads
from app.scoring.systems import catalogue_entry, catalogue_ids, find_system
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services.rule_systems.validation import prove
from app.validation import InvalidInput, input_violations
from app.web.language import Language
from app.web.render import render

_CLAUSE: Final = words("пункт {}: ", "clause {}: ")
_CASE: Final = words("пример «{}»: ", "case {}: ")
_EXPECTED: Final = words("{}: ожидалось {}, вышло {}", "{}: expected {}, got {}")
_VALID: Final = words("{}: регламент можно считать; примеров: {}, не сошлось: {}", "{}: valid; cases: {}, failed: {}")
_COMES_OUT: Final = words("ожидаемого нет; вышло {}", "nothing is expected; the result is {}")
_UNCOVERED: Final = words("пункт {}: примеров для правила «{}» нет", "clause {}: no case shows the rule {}")
_COPIED: Final = words(
    "Копия «{}» версии {}. Проверка: mafrate rules validate ФАЙЛ",
    "A copy of {}, version {}. Check: mafrate rules validate FILE",
)

rules_commands = typer.Typer(
    help="Write a regulation in a file: copy one, change it, validate it.", no_args_is_help=True, rich_markup_mode=None
)
application.add_typer(rules_commands, name="rules")

SystemId: TypeAlias = Annotated[str, typer.Argument(metavar="ID", help="The regulation's id.")]
Version: TypeAlias = Annotated[int | None, typer.Option(min=1, help="The version; default: the newest.")]


@rules_commands.command("copy", epilog=example("rules copy maffamily > mine.yaml"))
def copy_rules(system: SystemId, *, version: Version = None, language: InLanguage = None, json: AsJSON = False) -> None:
    """Print a regulation, built in or of the catalogue with its worked cases, as YAML to begin your own with."""
    found = find_system(system, version)
    document = {**found.model_dump(), "id": f"my-{found.id}", "version": 1}
    if found.id in catalogue_ids():
        document["cases"] = catalogue_entry(found.id).cases
    if json:
        sys.stdout.write(render(document).decode() + "\n")
        return
    sys.stdout.write(f"# {_COPIED.say(user_language(language), found.id, found.version)}\n")
    sys.stdout.write(write_rules(loads(render(document))))


@rules_commands.command("show", epilog=example("rules show maffamily"))
def show_rules(system: SystemId, *, version: Version = None, language: InLanguage = None, json: AsJSON = False) -> None:
    """Show a regulation, built in or of the catalogue: each clause, how it is read, and its rules (no defaults)."""
    found, chosen = find_system(system, version), user_language(language)
    if json:
        sys.stdout.write(render(found.model_dump()).decode() + "\n")
        return
    out = console()
    out.print(f"{found.title.say(chosen)} ({found.id}, {found.version})")
    for clause in found.clauses:
        out.print(f"\n{clause.number}. {clause.text.say(chosen)}")
        for reading in clause.readings:
            out.print(f"  * {reading.ru if chosen == 'ru' else reading.en}")
        for rule in clause.rules:
            parameters = rule.model_dump(exclude={"kind"}, exclude_defaults=True)
            out.print(f"  {rule.kind} {render(parameters).decode()}")


@rules_commands.command("validate", epilog=example("rules validate mine.yaml"))
def validate_rules(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A YAML or JSON file; - reads standard input.")],
    *,
    language: InLanguage = None,
    json: AsJSON = False,
) -> None:
    """Check a regulation and compare its worked cases with what it gives.

    Every fault is listed with its line. The exit status is 1 if there is a fault or a case fails.
    """
    chosen = user_language(language)
    with file_errors(file):
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    read = read_rules(content, file)
    try:
        report = _proved(read)
    except InvalidInput as error:
        _tell_faults(read, file, error.violations, chosen, json)
        raise typer.Exit(1) from None
    if json:
        sys.stdout.write(render(report).decode() + "\n")
    else:
        _tell_cases(read, file, report, chosen)
    if any(case["passed"] is False for case in report["cases"]):
        raise typer.Exit(1)


def _proved(read: RulesFile) -> dict[str, Any]:
    try:
        asked = RuleSystemProofIn.model_validate(
            {"system": read.system, "cases": () if read.cases is None else read.cases}
        )
    except ValidationError as error:
        raise InvalidInput(input_violations(error)) from None
    system, report = prove(asked.system, [case.model_dump() for case in asked.cases])
    return validated_wire(system.fingerprint, report)


def _tell_faults(read: RulesFile, file: str, faults: list[Violation], language: Language, json: bool) -> None:
    if json:
        errors = [{"line": read.line_of(one.pointer), **violation_wire(one, language)} for one in faults]
        sys.stdout.write(render({"valid": False, "errors": errors}).decode() + "\n")
        return
    for fault in sorted(faults, key=lambda one: read.line_of(one.pointer)):
        line, where = read.line_of(fault.pointer), _where(read, fault, language)
        sys.stdout.write(f"{file}:{line}: {where}{fault.message(language)} [{fault.code}]\n")


def _where(read: RulesFile, fault: Violation, language: Language) -> str:
    """The clause or the case that a fault is in, and the place within it."""
    parts = fault.pointer.split("/")
    within = "/".join(parts[2:])
    named = ""
    if parts[1:3] == ["system", "clauses"] and len(parts) > 3:
        number = _named(read.system, "clauses", parts[3], "number")
        named, within = "" if number is None else _CLAUSE.say(language, number), "/".join(parts[4:])
    elif parts[1:2] == ["cases"] and len(parts) > 2:
        name = _named({"cases": read.cases}, "cases", parts[2], "name")
        named, within = "" if name is None else _CASE.say(language, name), "/".join(parts[3:])
    return f"{named}{within}: " if within else named


def _named(document: Any, list_name: str, index: str, name: str) -> Any:
    members = document.get(list_name) if isinstance(document, dict) else None
    member = members[int(index)] if isinstance(members, list) and int(index) < len(members) else None
    return member.get(name) if isinstance(member, dict) else None


def _tell_cases(read: RulesFile, file: str, report: Mapping[str, Any], language: Language) -> None:
    failed = sum(case["passed"] is False for case in report["cases"])
    for i, case in enumerate(report["cases"]):
        said = [
            (difference["pointer"], _EXPECTED.say(language, *_shown(difference, "pointer", "expected", "actual")))
            for difference in case["differences"]
        ]
        if case["passed"] is None:
            said.append(("", _COMES_OUT.say(language, render(case["actual"]).decode())))
        for pointer, sentence in said:
            line = read.line_of(f"/cases/{i}{pointer}")
            sys.stdout.write(f"{file}:{line}: {_CASE.say(language, case['name'])}{sentence}\n")
        for line in (line for difference in case["differences"] for line in difference["lines"]):
            sys.stdout.write(f"    {render(line).decode()}\n")
    for rule in report["uncovered"]:
        sys.stdout.write(f"{_UNCOVERED.say(language, rule['clause'], rule['kind'])}\n")
    sys.stdout.write(f"{_VALID.say(language, file, len(report['cases']), failed)}\n")


def _shown(difference: Mapping[str, Any], *names: str) -> list[str]:
    values = [difference[name] for name in names]
    return [value if isinstance(value, str) else render(value).decode() for value in values]
