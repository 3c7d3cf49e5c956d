"""What the environment says: the settings of the service, its database and address, the user's language."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Final

from app.cli.application import CommandError
from app.config import Settings
from app.repositories.database import Database
from app.repositories.database.engines import read_url, sqlite_path
from app.repositories.schema import schema_is_current
from app.scoring.text import words
from app.web.language import Language

AUTHOR: Final = "command line"
"""The author of what a command changes."""

_ABSENT: Final = words(
    "базы данных {} нет; создайте её: mafrate migrate", "no database at {}; create one with mafrate migrate"
)
_OUTDATED: Final = words(
    "Схема базы данных устарела. Выполните mafrate migrate.",
    "The database schema is out of date. Run mafrate migrate.",
)


def user_language(chosen: Language | None = None) -> Language:
    """The language of messages: as chosen, otherwise that of LANG."""
    return chosen or ("ru" if os.environ.get("LANG", "").startswith("ru") else "en")


def read_settings() -> Settings:
    """The settings of the service.

    Raises:
        WrongSetting: one of them cannot be used.
    """
    return Settings.from_environ(os.environ)


@contextmanager
def open_database() -> Iterator[Database]:
    """The database with the schema of this version.

    Raises:
        CommandError: there is none, or its schema is older.
    """
    address = read_settings().database_url
    url = read_url(address)
    if url.get_backend_name() == "sqlite" and not os.path.exists(sqlite_path(url)):  # noqa: PTH110 - whatever the path
        raise CommandError(_ABSENT, sqlite_path(url))
    with closing(Database(address)) as database:
        if not schema_is_current(database):
            raise CommandError(_OUTDATED)
        yield database


def service_url(host: str, port: int) -> str:
    """The address, seen from this machine, of a service that listens on ``host`` and ``port``."""
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - compared, not bound
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
