"""``mafrate import``: a file of games, or a season as an archive, into a running service."""

import json as standard_json
from pathlib import Path
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeAlias

import typer
from rich.table import Table

from app.cli.application import AsJSON, CommandError, Interrupted, application, example
from app.cli.client import INCOMPLETE, ConnectionLost, Service
from app.cli.environment import user_language
from app.cli.options import Connection, options_in_values
from app.cli.output import console, file_errors, print_line
from app.cli.transfer import (
    MEDIA_TYPES,
    FileFormat,
    Upload,
    club_and_season,
    format_of,
    lines,
    open_input,
    season_path,
    upload,
)
from app.scoring.text import words

if TYPE_CHECKING:
    from httpx import Response

_IN_MEMORY: Final = 1_000_000
_SHOWN: Final = 20
"""Rejected games that are shown on the terminal."""

_GAMES_AGAIN: Final = words(
    "Часть игр могла сохраниться. Отправьте файл ещё раз: дважды игры не сохранятся.",
    "Some games may have been stored. It is safe to send the file again.",
)
_ARCHIVE_AGAIN: Final = words(
    "Сохранилось либо всё, либо ничего. Отправьте файл ещё раз: дважды сезон не сохранится.",
    "Either everything or nothing was stored. It is safe to send the file again.",
)
_WHOLE_ARCHIVE: Final = words(
    "Архив загружается целиком; из параметров для него есть только --dry-run.",
    "An archive is imported as a whole; only --dry-run applies to it.",
)
_NOT_OF_GAMES: Final = words(
    "Это не ответ на загрузку игр. Проверьте адрес.", "Unexpected response to an import. Check the address."
)
_NOT_OF_ARCHIVE: Final = words(
    "Это не ответ на загрузку архива. Проверьте адрес.", "Unexpected response to an archive import. Check the address."
)
_IMPORTED: Final = words("{}: игр — {}, новых игроков — {}.", "{}: {} games, {} new players.")
_SAME_FILE: Final = words(
    "{}: в этом файле сами игры; укажите для --errors другой",
    "{}: this is the file with the games; choose another for --errors",
)
_MORE: Final = words("… и другие; все запишет --errors ФАЙЛ", "… and more; use --errors FILE to write all of them")
_MORE_IN: Final = words("… и другие; все — в {}", "… and more; all are in {}")
_NO_GAMES: Final = words("В файле нет игр.", "The file contains no games.")
_NOTHING_STORED: Final = words("Ничего не сохранено.", "Nothing was stored.")
_COLUMNS: Final = (
    words("строка", "line"),
    words("игра", "game"),
    words("результат", "result"),
    words("где", "where"),
    words("что не так", "what"),
)
_NOT_REGISTERED: Final = words(
    "Игр, где не все места идут в рейтинг, потому что игроки не были зарегистрированы: {}. Игроки: {}",
    "Games with seats that are not rated because their players were not registered: {}. Players: {}",
)
_RESULTS: Final = ("created", "unchanged", "corrected", "pending", "conflict", "invalid")
_ALIKE: Final = words("новый игрок {} похож на известного: {}", "new player {} is similar to {}")
_COUNTS: Final = (words("результат", "result"), words("игр", "games"))

Place: TypeAlias = Annotated[
    str,
    typer.Option(metavar="CLUB/SEASON", help="The slugs of the club and the season; CLUB is enough for an archive."),
]


class ImportOptions(NamedTuple):
    """What the file is, and how its games are imported."""

    format: Annotated[
        FileFormat | None, typer.Option("--format", help="The file format; default: from the file name.")
    ] = None
    atomic: Annotated[bool, typer.Option("--atomic", help="Import all games, or none if one is rejected.")] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Report what would happen and store nothing.")] = False
    create_players: Annotated[bool, typer.Option("--create-players", help="Create players for unknown nicknames.")] = (
        False
    )
    registered: Annotated[
        bool, typer.Option("--registered", help="Register new players on the day of the game that creates them.")
    ] = False
    correct: Annotated[bool, typer.Option("--correct", help="Replace stored games that have the same external_id.")] = (
        False
    )
    errors: Annotated[Path | None, typer.Option(help="Write the result lines of rejected games to this file.")] = None

    def query(self) -> dict[str, str | None]:
        """The query of the request; None: not said."""
        return {
            "mode": "atomic" if self.atomic else None,
            "dry_run": "true" if self.dry_run else None,
            "create_players": "true" if self.create_players else None,
            "registered": "true" if self.registered else None,
            "on_conflict": "correct" if self.correct else None,
        }


class _Result(NamedTuple):
    """What an import came to."""

    summary: dict[str, Any]
    rejected: list[dict[str, Any]]
    """The first games that were rejected."""
    all_shown: bool
    """Whether there are no more of them."""


@application.command(
    "import",
    epilog=example("import docs/examples/season.ndjson --to demo/season --create-players"),
    short_help="Import a file of games into a season.",
)
@options_in_values
def import_file(
    file: Annotated[
        str,
        typer.Argument(help="An NDJSON, CSV or XLSX file or a season archive (zip); - reads standard input."),
    ],
    *,
    to: Place,
    options: ImportOptions,
    connection: Connection,
    json: AsJSON = False,
) -> None:
    """Import a file of games into a season of a running service.

    Importing the same file again changes nothing. A season archive becomes a new season of the club, with its full
    history. The exit status is 1 if a game was rejected.
    """
    format = options.format or format_of(file)
    service, language = connection.service(), user_language(connection.language)
    if format == "zip":
        if options._replace(format=None, dry_run=False) != ImportOptions():
            raise CommandError(_WHOLE_ARCHIVE)
        club, season = club_and_season(to)
        query = {"slug": season, "dry_run": "true" if options.dry_run else None}
        sent = Upload(file, format, f"/v1/clubs/{club}/archives", query, language)
        _import_archive(service, sent, club, json=json)
    else:
        sent = Upload(file, format, season_path(to) + "/games/import", options.query(), language)
        _import_games(service, sent, options.errors, json=json)


def _import_games(service: Service, sent: Upload, errors: Path | None, *, json: bool) -> None:
    """Send games and print what became of them."""
    with open_input(sent.name) as file, SpooledTemporaryFile(max_size=_IN_MEMORY) as rejected:
        if errors is not None:
            _check_errors_file(errors, sent.name)
        try:
            with upload(service, file, sent, media=MEDIA_TYPES["ndjson"]) as response:
                result = _read(response, rejected)
        except ConnectionLost as error:
            raise error.followed_by(_GAMES_AGAIN) from None
        except KeyboardInterrupt:
            raise Interrupted().followed_by(_GAMES_AGAIN) from None
        if json:
            print_line({"summary": result.summary, "refused": result.rejected, "all_shown": result.all_shown})
        else:
            _show(result, sent, errors)
        if errors is not None:
            with file_errors(errors), errors.open("wb") as written:
                rejected.seek(0)
                copyfileobj(rejected, written)
    if result.rejected:
        raise typer.Exit(1)


def _check_errors_file(errors: Path, file: str) -> None:
    """Refuse, before anything is sent, to write errors where that cannot be or where the games are."""
    if file != "-" and errors.exists() and errors.samefile(file):
        raise CommandError(_SAME_FILE, errors)
    with file_errors(errors), errors.open("ab"):
        pass


def _read(response: "Response", rejected: IO[bytes]) -> _Result:
    """What the response says; the lines of rejected games go into ``rejected``."""
    first: list[dict[str, Any]] = []
    for line in lines(response):
        try:
            game = standard_json.loads(line)
            if "summary" in game:
                summary = game["summary"]
                return _Result(summary, first, len(first) == summary["conflict"] + summary["invalid"])
            is_rejected = game["result"] in {"conflict", "invalid"}
        except (ValueError, TypeError, KeyError):
            raise CommandError(_NOT_OF_GAMES) from None
        if is_rejected:
            rejected.write(line + b"\n")
            if len(first) < _SHOWN:
                first.append(game)
    raise ConnectionLost(INCOMPLETE)


def _show(result: _Result, sent: Upload, errors: Path | None) -> None:
    out, language = console(), sent.language
    if result.rejected:
        out.print(f"{sent.name}:")
        table = Table(*(column.say(language) for column in _COLUMNS))
        for game in result.rejected:
            for number, found in enumerate(game["violations"] or [{"pointer": "", "message": ""}]):
                head = [str(game["line"]), game["external_id"] or "", game["result"]] if number == 0 else ["", "", ""]
                near = f" ({' / '.join(found['suggestions'])}?)" if found.get("suggestions") else ""
                table.add_row(*head, found["pointer"], found["message"] + near)
        out.print(table)
        if not result.all_shown:
            out.print(_MORE.say(language) if errors is None else _MORE_IN.say(language, errors))
    counted = {name: count for name in _RESULTS if (count := result.summary.get(name))}
    if not counted:
        out.print(_NO_GAMES.say(language))
        return
    counts = Table(*(column.say(language) for column in _COUNTS))
    for name, count in counted.items():
        counts.add_row(name, f"{count:,}")
    out.print(counts)
    unrated = result.summary.get("not_registered")
    if unrated and unrated["games"]:
        named = ", ".join(unrated["players"][:_SHOWN])
        out.print(_NOT_REGISTERED.say(language, f"{unrated['games']:,}", named))
    for new in result.summary.get("new_players", ()):
        if new["like"]:
            out.print(_ALIKE.say(language, new["nickname"], ", ".join(new["like"])))
    if not result.summary["applied"]:
        out.print(_NOTHING_STORED.say(language))


def _import_archive(service: Service, sent: Upload, club: str, *, json: bool) -> None:
    """Send an archive and print what became of it."""
    with open_input(sent.name) as file:
        try:
            with upload(service, file, sent, media="application/json") as response:
                body = response.read()
        except ConnectionLost as error:
            raise error.followed_by(_ARCHIVE_AGAIN) from None
        except KeyboardInterrupt:
            raise Interrupted().followed_by(_ARCHIVE_AGAIN) from None
    try:
        answered: dict[str, Any] = standard_json.loads(body)
        counts = f"{answered['games']:,}", f"{answered['players_created']:,}"
        line = _IMPORTED.say(sent.language, f"{club}/{answered['season']['slug']}", *counts)
        applied = answered["applied"]
    except (ValueError, TypeError, KeyError):
        raise CommandError(_NOT_OF_ARCHIVE) from None
    if json:
        print_line(answered)
    else:
        print_line(line if applied else f"{line} {_NOTHING_STORED.say(sent.language)}")
