"""The ``mafrate`` command (``mafrate --help``): a file for each kind of work."""

import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from app.cli import files, keeping, offline, openapi, serving
from app.cli.root import CannotDo, Stopped, commands
from app.config import WrongSetting
from app.repositories.backups import NoBackup
from app.repositories.database.engines import UnusableURL
from app.repositories.database.errors import Damaged, Unavailable, UnusableCacheURL
from app.repositories.schema import SchemaTooNew
from app.scoring.systems import UnknownRuleSystem
from app.services.errors import NotFound

__all__ = ["commands", "files", "keeping", "main", "offline", "openapi", "serving"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and give its status: 2, with a sentence that says why, when it could not do what it was told."""
    _mend_streams()
    try:
        return _status_of(arguments)
    except (WrongSetting, NotFound, UnknownRuleSystem, NoBackup, SchemaTooNew, CannotDo) as error:
        said = str(error)
    except Stopped as error:
        _leave(str(error))
        return 130
    except UnusableURL as error:
        said = f"MAFRATE_DATABASE_URL: {error}"
    except UnusableCacheURL as error:
        said = f"MAFRATE_CACHE_URL: {error}"
    except Unavailable as error:
        reason = getattr(error.__cause__, "orig", None) or error
        said = f"MAFRATE_DATABASE_URL: the database cannot be used now: {' '.join(str(reason).split())}"
    except Damaged as error:
        said = f"MAFRATE_DATABASE_URL: {error}; move the file away, then put a copy back with mafrate restore"
    except OSError as error:
        reason = error.strerror or str(error)
        said = reason if error.filename is None else f"{error.filename}: {reason}"
    _leave(said)
    return 2


def _status_of(arguments: Sequence[str] | None) -> int:
    status: object = 0
    try:
        commands(arguments)
    except SystemExit as end:
        status = end.code
    sys.stdout.flush()
    return status if isinstance(status, int) else 1


def _mend_streams() -> None:
    """Streams that can be written to, whatever the terminal cannot show; one that is closed leads nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 - until the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _leave(said: str) -> None:
    """Say why the command ends; what of its output nobody took goes nowhere."""
    with suppress(OSError):
        sys.stderr.write(f"{said}\n")
    try:
        sys.stdout.flush()
    except OSError:
        with Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
