"""One database, SQLite or PostgreSQL.

connection: the database and its transactions. engines: from a URL to connections. turns: writers in order of arrival.
errors: what can go wrong, by fact. bulk: many rows at once. pages: cursors. ids: public ids.
"""

from app.repositories.database.connection import Database, Transaction, batches, new_row

__all__ = ["Database", "Transaction", "batches", "new_row"]
