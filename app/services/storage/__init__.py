"""The database as routers and schemas name it: what they open, hand on, list and catch.

They import no repository. A row's type comes from the service that owns its subject.
"""

from app.repositories.database import Database, Transaction
from app.repositories.database.errors import Damaged, DiskFull, FileGone, ReadOnly, Unavailable, Unstorable
from app.repositories.database.pages import NotACursor, Page
from app.repositories.database.shared_reads import SharedReads
from app.repositories.schema import schema_is_current

__all__ = [
    "Damaged",
    "Database",
    "DiskFull",
    "DryRun",
    "FileGone",
    "NotACursor",
    "Page",
    "ReadOnly",
    "SharedReads",
    "Transaction",
    "Unavailable",
    "Unstorable",
    "schema_is_current",
]


class DryRun(Exception):
    """Raised at the end of a transaction that only shows what would happen, to undo it."""
