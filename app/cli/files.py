"""Files into a season and out of it, over HTTP."""

import json as standard_json
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPResponse
from pathlib import Path
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import Annotated, Any, BinaryIO, Final, Literal, NamedTuple, TypeAlias

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.table import Table

from app.cli.client import KEY_VARIABLE, URL_VARIABLE, BrokeOff, Service, service_at
from app.cli.root import AsJSON, CannotDo, Stopped, commands, console, example, named, tell

Form: TypeAlias = Literal["ndjson", "csv", "xlsx"]

MEDIA: Final = {
    "ndjson": "application/x-ndjson",
    "csv": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_SUFFIXES: Final[dict[str, Form]] = {".ndjson": "ndjson", ".jsonl": "ndjson", ".csv": "csv", ".xlsx": "xlsx"}
_CHUNK: Final = 65_536
_IN_MEMORY: Final = 1_000_000
_AGAIN: Final = "What was good may be kept; send the file again."
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
    all_shown: bool
    """Whether there are no more of them."""


@commands.command("import", epilog=example("import docs/examples/season.ndjson --to demo/season --create-players"))
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
        written = None if errors is None else stack.enter_context(errors.open("wb"))
        refused = stack.enter_context(SpooledTemporaryFile(max_size=_IN_MEMORY))
        try:
            with _sent(service, path, opened, headers, "file" if file == "-" else file) as response:
                answered = _read(response, refused)
        except BrokeOff as error:
            raise CannotDo(f"{error} {_AGAIN}") from None
        except KeyboardInterrupt:
            raise Stopped(f"Stopped. {_AGAIN}") from None
        if json:
            tell({"summary": answered.summary, "refused": answered.faulty, "all_shown": answered.all_shown})
        else:
            _show(answered, file, errors)
        if errors is not None and written is not None:
            with named(errors):
                refused.seek(0)
                copyfileobj(refused, written)
                written.close()
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
    """Take the games out of a season: what an import takes. Notes are in it for keys of the club only."""
    form = form or ("ndjson" if output is None else _form_of(str(output)))
    if output is None and (json or (form == "xlsx" and sys.stdout.isatty())):
        raise CannotDo("Name a file: --output games.ndjson")
    service = service_at(url, key, config)
    headers = {"Accept-Language": _language(language)}
    with service.ask("GET", f"{_season(season)}/games.{form}", headers=headers, media=MEDIA[form]) as response:
        if output is None:
            _copy(response, sys.stdout.buffer, "standard output")
            return
        size = _keep(response, output)
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
def _sent(service: Service, path: str, file: BinaryIO, headers: dict[str, str], name: str) -> Iterator[HTTPResponse]:
    """The answer to a file that was sent, with a progress bar on a terminal until it comes."""
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
        task = progress.add_task("sending", total=_size(file))

        def chunks() -> Iterator[bytes]:
            while chunk := file.read(_CHUNK):
                yield chunk
                progress.advance(task, len(chunk))
            progress.update(task, description="waiting for the answer")

        asked = service.ask("POST", path, chunks(), headers, media=MEDIA["ndjson"], about=name)
        response = stack.enter_context(asked)
        progress.stop()
        yield response


def _size(file: BinaryIO) -> int | None:
    """In bytes; None of a pipe or a terminal."""
    with suppress(OSError):
        found = os.fstat(file.fileno())
        return found.st_size if stat.S_ISREG(found.st_mode) else None
    return None


def _read(response: HTTPResponse, refused: SpooledTemporaryFile[bytes]) -> _Answered:
    """What the answer says; the lines of refused games go into ``refused``."""
    faulty: list[dict[str, Any]] = []
    for line in response:
        if not line.endswith(b"\n"):
            break
        try:
            told = standard_json.loads(line)
            if "summary" in told:
                summary = told["summary"]
                return _Answered(summary, faulty, len(faulty) == summary["conflict"] + summary["invalid"])
            is_refused = told["result"] in {"conflict", "invalid"}
        except (ValueError, TypeError, KeyError):
            raise CannotDo("The answer is not one to an import. Is the address right?") from None
        if is_refused:
            refused.write(line)
            if len(faulty) < _SHOWN:
                faulty.append(told)
    raise BrokeOff("The answer broke off.")


def _show(answered: _Answered, file: str, errors: Path | None) -> None:
    out = console()
    if answered.faulty:
        out.print(f"{file}:")
        table = Table("line", "game", "result", "where", "what")
        for game in answered.faulty:
            for number, found in enumerate(game["violations"] or [{"pointer": "", "message": ""}]):
                first = number == 0
                head = [str(game["line"]), game["external_id"] or "", game["result"]] if first else ["", "", ""]
                table.add_row(*head, found["pointer"], found["message"])
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


def _keep(response: HTTPResponse, output: Path) -> int:
    """Write the answer to a file that has it all or is not touched; its size in bytes."""
    if output.exists() and not output.is_file():  # a device or a pipe: nothing may take its place
        with named(output), output.open("wb") as file:
            return _copy(response, file, output)
    output = output.resolve()  # a link stays one
    draft = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        with named(output):
            file = draft.open("xb")
        with file:
            size = _copy(response, file, output)
        draft.replace(output)
    finally:
        draft.unlink(missing_ok=True)
    return size


def _copy(response: HTTPResponse, file: BinaryIO, name: Path | str) -> int:
    size = 0
    while chunk := response.read(_CHUNK):
        with named(name):
            file.write(chunk)
        size += len(chunk)
    with named(name):
        file.flush()
    if size != int(response.headers.get("Content-Length", size)):
        raise BrokeOff("The answer broke off; ask again.")
    return size
