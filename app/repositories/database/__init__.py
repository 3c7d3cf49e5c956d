"""One database, SQLite or PostgreSQL: connections, transactions, errors, pages, backups."""

from app.repositories.database.connection import Database, Transaction, batches, new_row

__all__ = ["Database", "Transaction", "batches", "new_row"]
