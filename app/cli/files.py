"""Files into a season and out of it, over HTTP."""

import json as standard_json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPResponse
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final, Literal, NamedTuple, TypeAlias

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.table import Table

from app.cli.client import KEY_VARIABLE, URL_VARIABLE, Service, service_at
from app.cli.root import AsJSON, CannotDo, commands, console, tell

Form: TypeAlias = Literal["ndjson", "csv", "xlsx"]

MEDIA: Final = {
    "ndjson": "application/x-ndjson",
    "csv": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_SUFFIXES: Final[dict[str, Form]] = {".ndjson": "ndjson", ".jsonl": "ndjson", ".csv": "csv", ".xlsx": "xlsx"}
_CHUNK: Final = 65_536
_SHOWN: Final = 20
"""Games with faults that are told on the terminal."""

Place: TypeAlias = Annotated[str, typer.Option(metavar="CLUB/SEASON", help="Slugs of the club and its season.")]
Url: TypeAlias = Annotated[str | None, typer.Option(help=f"Where the service is; else {URL_VARIABLE}, else the file.")]
Key: TypeAlias = Annotated[
    str | None, typer.Option(help=f"The key; else {KEY_VARIABLE}, which other users of the machine do not see.")
]
Config: TypeAlias = Annotated[
    Path | None, typer.Option(help="A TOML file with url and key; by default ~/.config/mafrate.toml.")
]
Language: TypeAlias = Annotated[Literal["ru", "en"] | None, typer.Option(help="Of messages; by default LANG's.")]


class _Answered(NamedTuple):
    """What an import came to."""

    summary: dict[str, Any]
    faulty: list[dict[str, Any]]
    """The first games that were refused."""


@commands.command("import", epilog="Example: mafrate import games.csv --to moscow/2025-spring --create-players")
def import_games(
    file: Annotated[str, typer.Argument(help="NDJSON, CSV or XLSX; - reads standard input.")],
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
    same file again changes nothing.
    """
    service = service_at(url, key, config)
    asked = {
        "mode": "atomic" if atomic else None,
        "dry_run": "true" if dry_run else None,
        "create_players": "true" if create_players else None,
        "on_conflict": "correct" if correct else None,
    }
    query = "&".join(f"{name}={value}" for name, value in asked.items() if value)
    path = f"{_season(to)}/games/import{'?' if query else ''}{query}"
    headers = {"Content-Type": MEDIA[form or _form_of(file)], "Accept-Language": _language(language)}
    with ExitStack() as stack:
        opened = sys.stdin.buffer if file == "-" else stack.enter_context(Path(file).open("rb"))
        size = None if file == "-" else Path(file).stat().st_size
        response = stack.enter_context(_sent(service, path, opened, headers, size))
        written = stack.enter_context(errors.open("wb")) if errors is not None else None
        answered = _read(response, written)
    if json:
        tell({"summary": answered.summary, "refused": answered.faulty, "all_shown": _all_shown(answered)})
    else:
        _show(answered, errors)
    if answered.faulty:
        raise typer.Exit(1)


@commands.command("export", epilog="Example: mafrate export moscow/2025-spring --output games.xlsx")
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
    """Take the games out of a season: what an import takes. Notes are in it for keys of the club only."""
    form = form or ("ndjson" if output is None else _form_of(str(output)))
    if output is None and (json or (form == "xlsx" and sys.stdout.isatty())):
        raise CannotDo("Name a file: --output games.ndjson")
    service = service_at(url, key, config)
    headers = {"Accept-Language": _language(language)}
    with service.ask("GET", f"{_season(season)}/games.{form}", headers=headers) as response:
        if output is None:
            _copy(response, sys.stdout.buffer)
            return
        draft = output.with_name(f".{output.name}.{os.getpid()}")
        try:
            with draft.open("xb") as file:
                size = _copy(response, file)
            draft.replace(output)
        finally:
            draft.unlink(missing_ok=True)
    tell({"file": str(output), "bytes": size} if json else f"{output}: {size:,} bytes")


def _season(named: str) -> str:
    club, _, season = named.partition("/")
    if not club or not season or not named.replace("-", "").replace("/", "", 1).isalnum() or not named.isascii():
        raise CannotDo(f"expected CLUB/SEASON, such as moscow/2025-spring, got {named}")
    return f"/v1/clubs/{club}/seasons/{season}"


def _form_of(name: str) -> Form:
    try:
        return _SUFFIXES[Path(name).suffix.lower()]
    except KeyError:
        raise CannotDo(f"{name}: say what it is with --format ndjson, csv or xlsx") from None


def _language(asked: str | None) -> str:
    return asked or ("ru" if os.environ.get("LANG", "").startswith("ru") else "en")


@contextmanager
def _sent(
    service: Service, path: str, file: BinaryIO, headers: dict[str, str], size: int | None
) -> Iterator[HTTPResponse]:
    """The answer to a file that was sent, with a progress bar on a terminal until it comes."""
    length = {"Transfer-Encoding": "chunked"} if size is None else {"Content-Length": str(size)}
    with (
        ExitStack() as stack,
        Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            disable=not sys.stderr.isatty(),
            transient=True,
        ) as progress,
    ):
        task = progress.add_task("sending", total=size)

        def chunks() -> Iterator[bytes]:
            while chunk := file.read(_CHUNK):
                yield chunk
                progress.advance(task, len(chunk))
            progress.update(task, description="waiting for the answer")

        asked = stack.enter_context(service.ask("POST", path, chunks(), headers | length))
        progress.stop()
        yield asked


def _read(response: HTTPResponse, errors: BinaryIO | None) -> _Answered:
    summary: dict[str, Any] | None = None
    faulty: list[dict[str, Any]] = []
    for line in response:
        told = standard_json.loads(line)
        if "summary" in told:
            summary = told["summary"]
        elif told["result"] in {"conflict", "invalid"}:
            if errors is not None:
                errors.write(line)
            if len(faulty) < _SHOWN:
                faulty.append(told)
    if summary is None:
        raise CannotDo("The answer broke off; what was good may be kept. Send the file again.")
    return _Answered(summary, faulty)


def _all_shown(answered: _Answered) -> bool:
    refused: int = answered.summary["conflict"] + answered.summary["invalid"]
    return len(answered.faulty) == refused


def _show(answered: _Answered, errors: Path | None) -> None:
    out = console()
    if answered.faulty:
        table = Table("line", "game", "result", "where", "what")
        for game in answered.faulty:
            for number, found in enumerate(game["violations"] or [{"pointer": "", "message": ""}]):
                first = number == 0
                head = [str(game["line"]), game["external_id"] or "", game["result"]] if first else ["", "", ""]
                table.add_row(*head, found["pointer"], found["message"])
        out.print(table)
        if not _all_shown(answered):
            out.print("… and more; --errors FILE writes them all" if errors is None else f"all of them: {errors}")
    counts = Table("result", "games")
    for result, count in answered.summary.items():
        if result != "applied" and count:
            counts.add_row(result, f"{count:,}")
    out.print(counts)
    if not answered.summary["applied"]:
        out.print("Nothing was kept.")


def _copy(response: HTTPResponse, file: BinaryIO) -> int:
    size = 0
    while chunk := response.read(_CHUNK):
        file.write(chunk)
        size += len(chunk)
    if size != int(response.headers.get("Content-Length", size)):
        raise CannotDo("The answer broke off; ask again.")
    return size
