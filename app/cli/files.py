"""Files of games into a season and out of it, and seasons as archives, over HTTP."""

import json as standard_json
import sys
from contextlib import ExitStack
from http.client import HTTPResponse
from pathlib import Path
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

import typer
from rich.table import Table

from app.cli.client import KEY_VARIABLE, URL_VARIABLE, BrokeOff, Service, service_at
from app.cli.exchange import MEDIA, Form, club_and_season, copy, form_of, keep, language_of, season_path, sent
from app.cli.root import AsJSON, CannotDo, Stopped, commands, console, example, named, tell

_IN_MEMORY: Final = 1_000_000
_AGAIN: Final = "What was good may be kept; send the file again."
_WHOLE: Final = "All of it or nothing was kept; sent again, it is not kept twice."
_SHOWN: Final = 20
"""Games with faults that are told on the terminal."""

Place: TypeAlias = Annotated[
    str, typer.Option(metavar="CLUB/SEASON", help="Slugs of the club and its season; of an archive CLUB will do.")
]
Url: TypeAlias = Annotated[str | None, typer.Option(help=f"Where the service is; else {URL_VARIABLE}, else the file.")]
Key: TypeAlias = Annotated[
    str | None, typer.Option(help=f"The key; else {KEY_VARIABLE}, which other users of the machine do not see.")
]
Config: TypeAlias = Annotated[
    Path | None, typer.Option(help="A TOML file with url and key; by default ~/.config/mafrate.toml.")
]
Language: TypeAlias = Annotated[Literal["ru", "en"] | None, typer.Option(help="Of messages; by default LANG's.")]


class _ImportAnswer(NamedTuple):
    """What an import came to."""

    summary: dict[str, Any]
    faulty: list[dict[str, Any]]
    """The first games that were refused."""
    all_shown: bool
    """Whether there are no more of them."""


@commands.command("import", epilog=example("import docs/examples/season.ndjson --to demo/season --create-players"))
def import_games(
    file: Annotated[
        str, typer.Argument(help="NDJSON, CSV or XLSX, or a season's archive (zip); - reads standard input.")
    ],
    *,
    to: Place,
    form: Annotated[Form | None, typer.Option("--format", help="What the file is; by default its name says.")] = None,
    atomic: Annotated[bool, typer.Option("--atomic", help="All games or, when one is refused, none.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be, and keep nothing.")] = False,
    create_players: Annotated[bool, typer.Option("--create-players", help="Make players of new nicknames.")] = False,
    correct: Annotated[bool, typer.Option("--correct", help="Replace games kept under the same external_id.")] = False,
    errors: Annotated[Path | None, typer.Option(help="Write every refused game's line of the answer here.")] = None,
    url: Url = None,
    key: Key = None,
    config: Config = None,
    language: Language = None,
    json: AsJSON = False,
) -> None:
    """Send a file of games to a season of a running service. The exit status is 1 when a game was refused. Sending the
    same file again changes nothing. A season's archive becomes a new season of the club, with its whole history.
    """
    service = service_at(url, key, config)
    form = form or form_of(file)
    headers = {"Content-Type": MEDIA[form], "Accept-Language": language_of(language)}
    if form == "zip":
        if atomic or create_players or correct or errors is not None:
            raise CannotDo("An archive is taken whole; of the options only --dry-run is for it.")
        _bring_in(service, file, to, headers, dry_run=dry_run, json=json)
        return
    asked = {
        "mode": "atomic" if atomic else None,
        "dry_run": "true" if dry_run else None,
        "create_players": "true" if create_players else None,
        "on_conflict": "correct" if correct else None,
    }
    path = season_path(to) + "/games/import" + _query(asked)
    with ExitStack() as stack:
        opened = sys.stdin.buffer if file == "-" else stack.enter_context(Path(file).open("rb"))
        if errors is not None:
            _demand_a_place(errors, file)
        refused = stack.enter_context(SpooledTemporaryFile(max_size=_IN_MEMORY))
        try:
            with sent(service, path, opened, headers, _name(file), media=MEDIA["ndjson"]) as response:
                answered = _read(response, refused)
        except BrokeOff as error:
            raise CannotDo(f"{error} {_AGAIN}") from None
        except KeyboardInterrupt:
            raise Stopped(f"Stopped. {_AGAIN}") from None
        if json:
            tell({"summary": answered.summary, "refused": answered.faulty, "all_shown": answered.all_shown})
        else:
            _show(answered, file, errors)
        if errors is not None:
            with named(errors), errors.open("wb") as written:
                refused.seek(0)
                copyfileobj(refused, written)
    if answered.faulty:
        raise typer.Exit(1)


@commands.command("export", epilog=example("export demo/season --output games.xlsx"))
def export_games(
    season: Annotated[str, typer.Argument(metavar="CLUB/SEASON", help="Slugs of the club and its season.")],
    *,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file; by default standard output.")] = None,
    form: Annotated[Form | None, typer.Option("--format", help="By default what the file's name says.")] = None,
    url: Url = None,
    key: Key = None,
    config: Config = None,
    language: Language = None,
    json: AsJSON = False,
) -> None:
    """Take the games out of a season: what an import takes. Notes are in it for keys of the club only. As zip the
    season is taken out whole, with its history; that needs the president's key.
    """
    form = form or ("ndjson" if output is None else form_of(str(output)))
    if output is None and (json or (form in {"xlsx", "zip"} and sys.stdout.isatty())):
        raise CannotDo("Name a file: --output games.ndjson")
    service = service_at(url, key, config)
    headers = {"Accept-Language": language_of(language)}
    path = season_path(season) + ("/archive.zip" if form == "zip" else f"/games.{form}")
    with service.ask("GET", path, headers=headers, media=MEDIA[form]) as response:
        if output is None:
            copy(response, sys.stdout.buffer, "standard output")
            return
        size = keep(response, output)
    tell({"file": str(output), "bytes": size} if json else f"{output}: {size:,} bytes")


def _query(asked: dict[str, str | None]) -> str:
    named = "&".join(f"{name}={value}" for name, value in asked.items() if value)
    return named and f"?{named}"


def _name(file: str) -> str:
    return "file" if file == "-" else file


def _bring_in(service: Service, file: str, to: str, headers: dict[str, str], *, dry_run: bool, json: bool) -> None:
    """Send an archive and tell what became of it."""
    club, season = club_and_season(to)
    path = f"/v1/clubs/{club}/archives" + _query({"slug": season, "dry_run": "true" if dry_run else None})
    with ExitStack() as stack:
        opened = sys.stdin.buffer if file == "-" else stack.enter_context(Path(file).open("rb"))
        try:
            with sent(service, path, opened, headers, _name(file), media="application/json") as response:
                body = response.read()
        except BrokeOff as error:
            raise CannotDo(f"{error} {_WHOLE}") from None
        except KeyboardInterrupt:
            raise Stopped(f"Stopped. {_WHOLE}") from None
    try:
        told: dict[str, Any] = standard_json.loads(body)
        address, games = f"{club}/{told['season']['slug']}", f"{told['games']:,} games"
        brought = f"{address}: {games}, {told['players_created']:,} new players"
        applied = told["applied"]
    except (ValueError, TypeError, KeyError):
        raise CannotDo("The answer is not one to an archive. Is the address right?") from None
    if json:
        tell(told)
    else:
        tell(brought if applied else f"{brought}. Nothing was kept.")


def _demand_a_place(errors: Path, file: str) -> None:
    """Refuse, before anything is sent, to write errors where that cannot be or where the games are."""
    if file != "-" and errors.exists() and errors.samefile(file):
        raise CannotDo(f"{errors}: the games are in it; name another file for the errors")
    with named(errors), errors.open("ab"):
        pass


def _read(response: HTTPResponse, refused: SpooledTemporaryFile[bytes]) -> _ImportAnswer:
    """What the answer says; the lines of refused games go into ``refused``."""
    faulty: list[dict[str, Any]] = []
    for line in response:
        if not line.endswith(b"\n"):
            break
        try:
            told = standard_json.loads(line)
            if "summary" in told:
                summary = told["summary"]
                return _ImportAnswer(summary, faulty, len(faulty) == summary["conflict"] + summary["invalid"])
            is_refused = told["result"] in {"conflict", "invalid"}
        except (ValueError, TypeError, KeyError):
            raise CannotDo("The answer is not one to an import. Is the address right?") from None
        if is_refused:
            refused.write(line)
            if len(faulty) < _SHOWN:
                faulty.append(told)
    raise BrokeOff("The answer broke off.")


def _show(answered: _ImportAnswer, file: str, errors: Path | None) -> None:
    out = console()
    if answered.faulty:
        out.print(f"{file}:")
        table = Table("line", "game", "result", "where", "what")
        for game in answered.faulty:
            for number, found in enumerate(game["violations"] or [{"pointer": "", "message": ""}]):
                first = number == 0
                head = [str(game["line"]), game["external_id"] or "", game["result"]] if first else ["", "", ""]
                near = f" ({' / '.join(found['suggestions'])}?)" if found.get("suggestions") else ""
                table.add_row(*head, found["pointer"], found["message"] + near)
        out.print(table)
        if not answered.all_shown:
            out.print("… and more; --errors FILE writes them all" if errors is None else f"all of them: {errors}")
    counted = {result: count for result, count in answered.summary.items() if result != "applied" and count}
    if not counted:
        out.print("The file holds no games.")
        return
    counts = Table("result", "games")
    for result, count in counted.items():
        counts.add_row(result, f"{count:,}")
    out.print(counts)
    if not answered.summary["applied"]:
        out.print("Nothing was kept.")
