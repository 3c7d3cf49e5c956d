"""What every command shares: where it is found, how it is told things, and how it tells."""

import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from json import dumps
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import typer
from rich.console import Console
from typer.core import TyperGroup

from app.config import Settings
from app.repositories.database import Database
from app.repositories.database.engines import read_url, sqlite_path
from app.repositories.schema import schema_is_current

_WIDE: Final = 1_000

HERE: Final = "command line"
"""Who does what a command does."""


class CannotDo(Exception):
    """What stands in a command's way, as a sentence for whoever gave it."""


class Stopped(Exception):
    """Ctrl+C, and what that means."""


class _Commands(TyperGroup):
    """Says in a sentence what typer says by nothing but a status."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that is named."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Stopped("Stopped.") from None
        except BrokenPipeError:
            raise CannotDo("Nobody read the output to its end.") from None


commands = typer.Typer(
    name="mafrate",
    cls=_Commands,
    help="Scores games of Mafia under club regulations. Settings are environment variables: MAFRATE_… (README.md).",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
of_keys = typer.Typer(help="Keys of a club, without its president.", no_args_is_help=True, rich_markup_mode=None)
commands.add_typer(of_keys, name="keys")

AsJSON: TypeAlias = Annotated[bool, typer.Option("--json", help="Answer one JSON object.")]


def example(words: str, **settings: str) -> str:
    """A command as it may be typed, on one line whatever the terminal's width."""
    before = "".join(f"{name}={value} " for name, value in settings.items())
    return f"\b\nExample: {before}mafrate {words}"


def read_settings() -> Settings:
    """The settings of the environment.

    Raises:
        WrongSetting: one of them cannot be used.
    """
    return Settings.from_environ(os.environ)


@contextmanager
def database() -> Iterator[Database]:
    """The database as it must be for anything but bringing it up to date.

    Raises:
        CannotDo: there is none, or it is older than this program.
    """
    address = read_settings().database_url
    url = read_url(address)
    if url.get_backend_name() == "sqlite" and not os.path.exists(sqlite_path(url)):  # noqa: PTH110 - whatever the path
        raise CannotDo(f"there is no database at {sqlite_path(url)} yet; mafrate migrate makes one")
    with closing(Database(address)) as opened:
        if not schema_is_current(opened):
            raise CannotDo("The database is not up to date; run mafrate migrate.")
        yield opened


@contextmanager
def named(file: Path | str) -> Iterator[None]:
    """What goes wrong with a file is told with its name.

    Raises:
        CannotDo: it cannot be opened or written.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CannotDo(f"{file}: {error.strerror or error}") from None


def tell(told: object) -> None:
    """One line on standard output: a string as it is, anything else as JSON."""
    sys.stdout.write((told if isinstance(told, str) else dumps(told, ensure_ascii=False, default=_written)) + "\n")


def address_of(host: str, port: int) -> str:
    """Where a service that listens so is found from this machine."""
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - compared, not bound
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class _Output(Console):
    def on_broken_pipe(self) -> None:
        """As whatever else is written to."""
        raise BrokenPipeError


def console() -> Console:
    """Standard output for tables; where it is no terminal, as wide as they are."""
    width = None if sys.stdout.isatty() else _WIDE
    return _Output(width=width, markup=False, highlight=False, emoji=False)


def _written(value: object) -> str:
    """A moment or day in ISO's form, anything else that JSON does not have as it prints."""
    return value.isoformat() if isinstance(value, date) else str(value)
