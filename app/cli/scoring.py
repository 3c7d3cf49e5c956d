"""``mafrate score`` and ``mafrate standings``: scoring and ranking files without a service and without a database."""

import sys
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import typer
from rich.table import Table

from app.cli.application import VERBATIM, AsJSON, CommandError, application, example
from app.cli.environment import user_language
from app.cli.games_file import open_games
from app.cli.options import InLanguage
from app.cli.output import console
from app.schemas.common.problem import violation_wire
from app.schemas.games.breakdown import breakdown_wire
from app.schemas.standings.standings import standings_wire
from app.scoring.breakdown import Breakdown
from app.scoring.nickname import folded
from app.scoring.points import decimal_of
from app.scoring.ranking import UnknownOrder
from app.scoring.rule_system import RuleSystem
from app.scoring.systems import find_system
from app.scoring.tally import Tallies
from app.scoring.terms import Format
from app.scoring.violation import RuleViolations, Violation
from app.sheets import ReadGame
from app.web.language import Language
from app.web.render import render

GamesFile: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="A JSON, NDJSON, CSV or XLSX file; - reads standard input.")
]
SystemId: TypeAlias = Annotated[str, typer.Option("--system", help="The regulation's id.")]
PlayedIn: TypeAlias = Annotated[
    Literal["season", "tournament"] | None, typer.Option("--format", help="The format the games were played in.")
]


class _ScoredGame(NamedTuple):
    """A game of a file, and its breakdown or, if that is None, the violations."""

    read: ReadGame
    breakdown: Breakdown | None
    violations: list[Violation]


@application.command(
    epilog=example("score docs/examples/game.json"), short_help="Show which clause awarded each point of a game."
)
def score(
    file: GamesFile,
    *,
    system: SystemId = "maffamily",
    format: PlayedIn = None,
    language: InLanguage = None,
    json: AsJSON = False,
) -> None:
    """Show which clause awarded each point, for one game or every game in a file.

    Works without a service and stores nothing. The exit status is 1 if a game breaks the regulation.
    """
    rules, chosen = find_system(system), user_language(language)
    broken = 0
    listed = []
    out = console()
    with open_games(file, rules, chosen) as reads:
        for scored in _scored(rules, reads, format):
            broken += scored.breakdown is None
            if json:
                listed.append(_wire(scored, chosen))
                continue
            name = f"line {scored.read.line}" + (f", {scored.read.external_id}" if scored.read.external_id else "")
            if scored.breakdown is None:
                out.print(f"{name}: refused")
                for violation in scored.violations:
                    out.print(f"  {violation.pointer or 'game'}: {violation.message(chosen)}")
            else:
                out.print(f"{name}: {scored.breakdown.status}")
                out.print(_table(scored.breakdown, chosen))
    if json:
        sys.stdout.write(render({"games": listed}).decode() + "\n")
    if broken:
        raise typer.Exit(1)


@application.command(epilog=example("standings docs/examples/season.ndjson --order points"))
def standings(
    file: GamesFile,
    *,
    system: SystemId = "maffamily",
    format: PlayedIn = "season",
    order: Annotated[str | None, typer.Option(help="The column to order by; default: the regulation's.")] = None,
    language: InLanguage = None,
    json: AsJSON = False,
) -> None:
    """Rank the players of the games in a file.

    Games that break the regulation are left out and listed on standard error; the exit status is then 1.
    """
    rules, chosen = find_system(system), user_language(language)
    tallies = Tallies()
    nicknames: dict[str, str] = {}
    rejected = 0
    with open_games(file, rules, chosen) as reads:
        for scored in _scored(rules, reads, format):
            if scored.breakdown is None:
                rejected += 1
                codes = ", ".join(dict.fromkeys(violation.code for violation in scored.violations))
                sys.stderr.write(f"line {scored.read.line}: left out: {codes}\n")
                continue
            scored.breakdown.add_to(tallies)
            for seat in scored.breakdown.game.seats:
                name = folded(seat.player)
                nicknames[name] = min(seat.player, nicknames.get(name, seat.player))
    try:
        table = standings_wire(rules, rules.rank(tallies, format or "season", order), nicknames, chosen)
    except UnknownOrder as error:
        raise CommandError(VERBATIM, error) from None
    if json:
        sys.stdout.write(render(table).decode() + "\n")
    else:
        _show(table)
    if rejected:
        raise typer.Exit(1)


def _scored(system: RuleSystem, reads: Iterable[ReadGame], format: Format | None) -> Iterator[_ScoredGame]:
    for read in reads:
        if read.game is None:
            yield _ScoredGame(read, None, read.faults(lambda game: system.check(game, format)))
            continue
        try:
            yield _ScoredGame(read, system.examine(read.game, format), [])
        except RuleViolations as error:
            yield _ScoredGame(read, None, read.located(error.violations))


def _wire(scored: _ScoredGame, language: Language) -> dict[str, Any]:
    game: dict[str, Any] = {"line": scored.read.line, "external_id": scored.read.external_id}
    if scored.breakdown is None:
        return game | {"violations": [violation_wire(violation, language) for violation in scored.violations]}
    return game | {"breakdown": breakdown_wire(scored.breakdown, language)}


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
