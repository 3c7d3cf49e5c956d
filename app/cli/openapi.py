"""The OpenAPI document as a file, for generating clients."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from app.cli.application import application, example
from app.cli.environment import read_settings
from app.cli.output import file_errors, print_line


@application.command(epilog=example("openapi openapi.json"), short_help="Write the description of the API.")
def openapi(
    file: Annotated[Path, typer.Argument(help="The file to write; - for standard output.")],
    *,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit with 1 if the file is stale.")] = False,
) -> None:
    """Write the OpenAPI document of the service to a file."""
    # Takes a while to load, and only serving needs it besides.
    from app.main import create_app
    from app.openapi import written

    fresh = written(create_app(read_settings()))
    if str(file) == "-":
        sys.stdout.write(fresh)
    elif check:
        if not file.exists() or file.read_text(encoding="utf-8") != fresh:
            print_line(f"{file} is stale.")
            raise typer.Exit(1)
    else:
        with file_errors(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(fresh, encoding="utf-8")
