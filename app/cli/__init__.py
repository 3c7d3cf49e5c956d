"""The ``mafrate`` command (``mafrate --help``).

- ``application``: the application that commands are added to, and the errors that end one
- ``environment``, ``options``, ``output``: settings and database, shared options, what is printed
- ``server``: ``serve``
- ``maintenance``, ``keys``: ``migrate``, ``audit``, ``backup``, ``restore``, ``demo``, ``keys``, on the database itself
- ``demo_club``: what ``demo`` creates
- ``imports``, ``exports``: ``import`` and ``export``, which talk to a service; ``client`` is the HTTP, ``transfer`` the
  files on their way
- ``scoring``: ``score`` and ``standings`` without a service; ``games_file`` reads their file
- ``rules``: ``rules``, a regulation in a file, which ``rules_file`` reads and writes
- ``openapi``: ``openapi``
"""

import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from app.cli import exports, imports, keys, maintenance, openapi, rules, scoring, server
from app.cli.application import CommandError, application
from app.cli.environment import user_language
from app.config import WrongSetting
from app.repositories.backups import NotACopy
from app.repositories.database.errors import Damaged, Unavailable, UnusableCacheURL, UnusableURL
from app.repositories.schema import SchemaTooNew
from app.scoring.systems import UnknownRuleSystem
from app.services.errors import NotFound

__all__ = ["application", "exports", "imports", "keys", "main", "maintenance", "openapi", "rules", "scoring", "server"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status; 2, after a sentence that says why, if it could not be done."""
    _prepare_streams()
    try:
        return _status_of(arguments)
    except CommandError as error:
        _leave(error.say(user_language()))
        return error.status
    except (NotFound, UnknownRuleSystem) as error:
        sentence = error.text.say(user_language())
    except (WrongSetting, NotACopy, SchemaTooNew) as error:
        sentence = str(error)
    except UnusableURL as error:
        sentence = f"MAFRATE_DATABASE_URL: {error}"
    except UnusableCacheURL as error:
        sentence = f"MAFRATE_CACHE_URL: {error}"
    except Unavailable as error:
        reason = getattr(error.__cause__, "orig", None) or error
        sentence = f"MAFRATE_DATABASE_URL: the database is unavailable: {' '.join(str(reason).split())}"
    except Damaged as error:
        sentence = f"MAFRATE_DATABASE_URL: {error}; move the file away, then restore a copy with mafrate restore"
    except OSError as error:
        reason = error.strerror or str(error)
        sentence = reason if error.filename is None else f"{error.filename}: {reason}"
    _leave(sentence)
    return 2


def _status_of(arguments: Sequence[str] | None) -> int:
    status: object = 0
    try:
        application(arguments)
    except SystemExit as end:
        status = end.code
    sys.stdout.flush()
    return status if isinstance(status, int) else 1


def _prepare_streams() -> None:
    """Make the standard streams usable: escape unprintable characters and redirect closed streams to nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 - until the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _leave(sentence: str) -> None:
    """Print why the command ends, and discard output that can no longer be written."""
    with suppress(OSError):
        sys.stderr.write(f"{sentence}\n")
    try:
        sys.stdout.flush()
    except OSError:
        with Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
