"""Scoring and ranking files without a service and without keeping anything."""

import codecs
import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import Annotated, Any, BinaryIO, Final, Literal, NamedTuple, TypeAlias, cast

import typer
from pydantic import ValidationError
from rich.table import Table

from app.cli.root import AsJSON, CannotDo, commands, console, example
from app.schemas.common.problem import violation_wire
from app.schemas.games.breakdown import breakdown_wire
from app.schemas.standings.standings import standings_wire
from app.scoring.breakdown import Breakdown
from app.scoring.exact_json import MalformedJSON, loads
from app.scoring.game import Game
from app.scoring.nickname import folded
from app.scoring.points import decimal_of
from app.scoring.ranking import UnknownOrder
from app.scoring.rule_system import RuleSystem
from app.scoring.systems import find_system
from app.scoring.tally import Tallies
from app.scoring.terms import Format
from app.scoring.violation import RuleViolations, Violation
from app.sheets import ReadGame, read_csv, read_ndjson, read_xlsx
from app.validation import UnreadableFile, input_violations
from app.web.language import Language
from app.web.render import render

Kind: TypeAlias = Literal["json", "ndjson", "csv", "xlsx"]

_SUFFIXES: Final[dict[str, Kind]] = {
    ".json": "json", ".ndjson": "ndjson", ".jsonl": "ndjson", ".csv": "csv", ".xlsx": "xlsx",
}  # fmt: skip
_CHUNK: Final = 65_536

GamesFile: TypeAlias = Annotated[str, typer.Argument(metavar="FILE", help="JSON, NDJSON, CSV, XLSX; - is any of them.")]
SystemId: TypeAlias = Annotated[str, typer.Option("--system", help="The regulation's id.")]
InLanguage: TypeAlias = Annotated[Literal["ru", "en"] | None, typer.Option(help="By default LANG's.")]
InFormat: TypeAlias = Annotated[
    Literal["season", "tournament"] | None, typer.Option("--format", help="Where the games were played.")
]


class _ScoredGame(NamedTuple):
    """A game of a file and what the regulation says of it; ``breakdown`` None: what it forbids."""

    read: ReadGame
    breakdown: Breakdown | None
    violations: list[Violation]


@commands.command(
    epilog=example("score docs/examples/game.json"), short_help="Say which clause gave each point of a game."
)
def score(
    file: GamesFile,
    *,
    system: SystemId = "maffamily",
    format: InFormat = None,
    language: InLanguage = None,
    json: AsJSON = False,
) -> None:
    """Say for every point of a game, or of each game of a file, which clause gave it. Nothing is kept and no service is
    asked. The exit status is 1 when a game breaks the regulation.
    """
    rules, said = find_system(system), _language(language)
    broken = 0
    listed = []
    out = console()
    with _games(file, rules) as reads:
        for scored in _scored(rules, reads, format):
            broken += scored.breakdown is None
            if json:
                listed.append(_wire(scored, said))
                continue
            name = f"line {scored.read.line}" + (f", {scored.read.external_id}" if scored.read.external_id else "")
            if scored.breakdown is None:
                out.print(f"{name}: refused")
                for violation in scored.violations:
                    out.print(f"  {violation.pointer or 'game'}: {violation.message(said)}")
            else:
                out.print(f"{name}: {scored.breakdown.status}")
                out.print(_table(scored.breakdown, said))
    if json:
        sys.stdout.write(render({"games": listed}).decode() + "\n")
    if broken:
        raise typer.Exit(1)


@commands.command(epilog=example("standings docs/examples/season.ndjson --order points"))
def standings(
    file: GamesFile,
    *,
    system: SystemId = "maffamily",
    format: InFormat = "season",
    order: Annotated[str | None, typer.Option(help="A column to order by; by default the regulation's.")] = None,
    language: InLanguage = None,
    json: AsJSON = False,
) -> None:
    """Rank the players of a file's games. Games that break the regulation are left out and named on standard error; the
    exit status is 1 then.
    """
    rules, said = find_system(system), _language(language)
    tallies = Tallies()
    nicknames: dict[str, str] = {}
    refused = 0
    with _games(file, rules) as reads:
        for scored in _scored(rules, reads, format):
            if scored.breakdown is None:
                refused += 1
                codes = ", ".join(dict.fromkeys(violation.code for violation in scored.violations))
                sys.stderr.write(f"line {scored.read.line}: left out: {codes}\n")
                continue
            scored.breakdown.add_to(tallies)
            for seat in scored.breakdown.game.seats:
                name = folded(seat.player)
                nicknames[name] = min(seat.player, nicknames.get(name, seat.player))
    try:
        table = standings_wire(rules, rules.rank(tallies, format or "season", order), nicknames, said)
    except UnknownOrder as error:
        raise CannotDo(str(error)) from None
    if json:
        sys.stdout.write(render(table).decode() + "\n")
    else:
        _show(table)
    if refused:
        raise typer.Exit(1)


def _language(asked: Language | None) -> Language:
    return asked or ("ru" if os.environ.get("LANG", "").startswith("ru") else "en")


@contextmanager
def _games(name: str, system: RuleSystem) -> Iterator[Iterable[ReadGame]]:
    """The games of a file.

    Raises:
        CannotDo: nothing can be read from it.
    """
    try:
        with ExitStack() as stack:
            file, kind = _standard_input(stack) if name == "-" else _opened(name, stack)
            yield _read(file, kind, system)
    except UnreadableFile as error:
        where = "standard input" if name == "-" else name
        raise CannotDo(f"{where}: " + "\n  ".join(violation.message("en") for violation in error.violations)) from None


def _opened(name: str, stack: ExitStack) -> tuple[BinaryIO, Kind]:
    kind = _SUFFIXES.get(Path(name).suffix.lower())
    if kind is None:
        raise CannotDo(f"{name}: expected a name that ends in {', '.join(_SUFFIXES)}")
    return stack.enter_context(Path(name).open("rb")), kind


def _standard_input(stack: ExitStack) -> tuple[BinaryIO, Kind]:
    given = io.BufferedReader(cast(io.RawIOBase, sys.stdin.buffer), _CHUNK)
    kind = _kind_of(given.peek())
    if kind != "xlsx":
        return given, kind
    # A workbook is read back and forth.
    aside = stack.enter_context(SpooledTemporaryFile(max_size=_CHUNK))  # noqa: SIM115 - it is entered
    copyfileobj(given, aside)
    return cast(BinaryIO, aside), kind


def _kind_of(head: bytes) -> Kind:
    """What a file that begins so is."""
    if head.startswith(b"PK"):
        return "xlsx"
    first, _, more = head.removeprefix(codecs.BOM_UTF8).lstrip().partition(b"\n")
    if not first.startswith((b"{", b"[")):
        return "csv"
    try:
        return "ndjson" if more and isinstance(loads(first), dict) else "json"
    except MalformedJSON:
        return "json"


def _read(file: BinaryIO, kind: Kind, system: RuleSystem) -> Iterable[ReadGame]:
    match kind:
        case "json":
            return _read_json(file.read())
        case "ndjson":
            return read_ndjson(_chunks(file))
        case "csv":
            return read_csv(_chunks(file), system)
        case "xlsx":
            return read_xlsx(file, system)


def _read_json(content: bytes) -> Iterator[ReadGame]:
    """One game, a list of games, or a body for ``…/standings``."""
    try:
        value = loads(content)
    except MalformedJSON:
        yield from read_ndjson([content])
        return
    if isinstance(value, dict) and "games" in value:
        value = value["games"]
    for number, told in enumerate(value if isinstance(value, list) else [value], start=1):
        try:
            game = Game.read(told)
        except ValidationError as error:
            yield ReadGame(number, None, input_violations(error))
        else:
            yield ReadGame(number, game, [], game.external_id)


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


def _scored(system: RuleSystem, reads: Iterable[ReadGame], format: Format | None) -> Iterator[_ScoredGame]:
    for read in reads:
        if read.game is None:
            yield _ScoredGame(read, None, read.violations)
            continue
        try:
            yield _ScoredGame(read, system.examine(read.game, format), [])
        except RuleViolations as error:
            yield _ScoredGame(read, None, read.located(error.violations))


def _wire(scored: _ScoredGame, language: Language) -> dict[str, Any]:
    told: dict[str, Any] = {"line": scored.read.line, "external_id": scored.read.external_id}
    if scored.breakdown is None:
        return told | {"violations": [violation_wire(violation, language) for violation in scored.violations]}
    return told | {"breakdown": breakdown_wire(scored.breakdown, language)}


def _table(breakdown: Breakdown, language: Language) -> Table:
    table = Table("seat", "player", "role", "result", "points", "clause by clause")
    for seat, _, result, lines, total in breakdown.seats:
        said = [
            f"{clause}: {decimal_of(line.points):+f} {line.reason.say(language, *line.args)}" for clause, line in lines
        ]
        points = f"{decimal_of(total):f}"
        table.add_row(str(seat.seat), seat.player, seat.role, result or "", points, "\n".join(said))
    return table


def _show(table: dict[str, Any]) -> None:
    columns = table["columns"]
    shown = Table("", "player", *(", ".join(filter(None, (one["label"], one["unit"]))) for one in columns))
    for row in table["rows"]:
        values = ["" if row["values"][one["key"]] is None else f"{row['values'][one['key']]:f}" for one in columns]
        shown.add_row("" if row["rank"] is None else str(row["rank"]), row["player"]["nickname"], *values)
    out = console()
    out.print(shown)
    out.print(f"{table['games']} games, by {table['order']}")
    for tie in table["ties"]:
        if tie["lot"] is not None:
            out.print(f"place {tie['rank']}: a lot is {tie['lot']}: {', '.join(tie['players'])}")
