"""What the environment says: the settings of the service, its database and address, the user's language."""

import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Final

from app.cli.application import CommandError
from app.config import Settings
from app.repositories.database import Database
from app.repositories.database.engines import read_url, sqlite_path
from app.repositories.schema import bring_up_to_date, schema_is_current
from app.scoring.text import words
from app.web.language import Language

AUTHOR: Final = "command line"
"""The author of what a command changes."""

_ABSENT: Final = words(
    "базы данных {} нет; создайте её: mafrate migrate", "no database at {}; create one with mafrate migrate"
)
_CREATED: Final = words("Создана новая база данных: {}", "Created a new database: {}")
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


def database_name(url: str) -> str:
    """Which database it is, for people: the whole path of an SQLite file, else the URL without its password."""
    read = read_url(url)
    if read.get_backend_name() == "sqlite":
        return os.path.abspath(sqlite_path(read))  # noqa: PTH100 - whatever the path
    return f"postgresql://{read.host or ''}/{read.database or ''}"


def upgrade(database: Database, url: str) -> None:
    """Bring the database up to date; where there was no SQLite file, say on standard error where there is one now."""
    read = read_url(url)
    is_new = read.get_backend_name() == "sqlite" and not os.path.exists(sqlite_path(read))  # noqa: PTH110 - whatever the path
    bring_up_to_date(database)
    if is_new:  # perhaps the folder is not the one that was meant
        sys.stderr.write(_CREATED.say(user_language(), database_name(url)) + "\n")


@contextmanager
def open_database() -> Iterator[Database]:
    """The database with the schema of this version.

    Raises:
        CommandError: there is none, or its schema is older.
    """
    address = read_settings().database_url
    url = read_url(address)
    if url.get_backend_name() == "sqlite" and not os.path.exists(sqlite_path(url)):  # noqa: PTH110 - whatever the path
        raise CommandError(_ABSENT, database_name(address))
    with closing(Database(address)) as database:
        if not schema_is_current(database):
            raise CommandError(_OUTDATED)
        yield database


def service_url(host: str, port: int) -> str:
    """The address, seen from this machine, of a service that listens on ``host`` and ``port``."""
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - compared, not bound
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
