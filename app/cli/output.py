"""What a command prints: lines, JSON and tables; and errors of files under the file's name."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from json import dumps
from pathlib import Path
from typing import Final

from rich.console import Console

from app.cli.application import VERBATIM, CommandError

_WIDE: Final = 1_000
"""Columns of a table that no terminal shows."""


def print_line(value: object) -> None:
    """Print a string as it is, anything else as JSON."""
    sys.stdout.write((value if isinstance(value, str) else dumps(value, ensure_ascii=False, default=_text)) + "\n")


def console() -> Console:
    """Standard output for tables; where it is no terminal, as wide as they are."""
    width = None if sys.stdout.isatty() else _WIDE
    return _Output(width=width, markup=False, highlight=False, emoji=False)


@contextmanager
def file_errors(file: Path | str) -> Iterator[None]:
    """Name the file in the errors of opening and writing it.

    Raises:
        CommandError: it cannot be opened or written.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CommandError(VERBATIM, f"{file}: {error.strerror or error}") from None


class _Output(Console):
    def on_broken_pipe(self) -> None:
        """Raise, as any other output does."""
        raise BrokenPipeError


def _text(value: object) -> str:
    """A time or date in ISO's form, anything else that JSON does not have as it prints."""
    return value.isoformat() if isinstance(value, date) else str(value)
