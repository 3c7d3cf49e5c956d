"""``mafrate export``: a season's games, or the whole season as an archive, out of a running service."""

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from app.cli.application import AsJSON, CommandError, application, example
from app.cli.environment import user_language
from app.cli.options import Connection, options_in_values
from app.cli.output import print_line
from app.cli.transfer import MEDIA_TYPES, FileFormat, copy, format_of, save, season_path
from app.scoring.text import words

_NO_FILE: Final = words("Укажите файл: --output games.ndjson", "Specify a file: --output games.ndjson")


@application.command(
    "export", epilog=example("export demo/season --output games.xlsx"), short_help="Export a season's games."
)
@options_in_values
def export_games(
    season: Annotated[str, typer.Argument(metavar="CLUB/SEASON", help="The slugs of the club and the season.")],
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The output file; default: standard output.")
    ] = None,
    format: Annotated[
        FileFormat | None, typer.Option("--format", help="The file format; default: from the file name.")
    ] = None,
    connection: Connection,
    json: AsJSON = False,
) -> None:
    """Export a season's games in a format that import accepts.

    Notes are included only for keys of the club. With --format zip, export the whole season with its history; this
    requires the president's key.
    """
    format = format or ("ndjson" if output is None else format_of(str(output)))
    if output is None and (json or (format in {"xlsx", "zip"} and sys.stdout.isatty())):
        raise CommandError(_NO_FILE)
    headers = {"Accept-Language": user_language(connection.language)}
    path = season_path(season) + ("/archive.zip" if format == "zip" else f"/games.{format}")
    with connection.service().request("GET", path, headers=headers, media=MEDIA_TYPES[format]) as response:
        if output is None:
            copy(response, sys.stdout.buffer, "standard output")
            return
        size = save(response, output)
    print_line({"file": str(output), "bytes": size} if json else f"{output}: {size:,} bytes")
