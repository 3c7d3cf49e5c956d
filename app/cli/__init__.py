"""The ``mafrate`` command (``mafrate --help``): a file for each kind of work."""

import sys
from collections.abc import Sequence

from app.cli import files, keeping, offline, serving
from app.cli.root import CannotDo, commands
from app.config import WrongSetting
from app.repositories.backups import NoBackup
from app.repositories.engines import UnusableURL
from app.repositories.errors import Unavailable
from app.repositories.schema import SchemaTooNew
from app.scoring.systems import UnknownRuleSystem
from app.services.errors import NotFound

__all__ = ["commands", "files", "keeping", "main", "offline", "serving"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 2 when a setting is wrong or the database cannot be used, with a sentence that says why."""
    try:
        commands(arguments)
    except (WrongSetting, NotFound, UnknownRuleSystem, NoBackup, SchemaTooNew, CannotDo) as error:
        sys.stderr.write(f"{error}\n")
    except UnusableURL as error:
        sys.stderr.write(f"MAFRATE_DATABASE_URL: {error}\n")
    except Unavailable as error:
        reason = getattr(error.__cause__, "orig", None) or error
        sys.stderr.write(f"MAFRATE_DATABASE_URL: the database cannot be used now: {str(reason).strip()}\n")
    except OSError as error:
        sys.stderr.write(f"{error}\n")
    return 2
