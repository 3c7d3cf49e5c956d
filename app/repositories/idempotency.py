"""Stored responses to requests with an idempotency key, written in the transaction of the request itself."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import and_, bindparam, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite

from app.repositories.database import Transaction
from app.repositories.tables import ANSWERS

STORED_FOR = timedelta(hours=24)


class Request(NamedTuple):
    """What identifies a request."""

    key_id: int
    method: str
    path: str
    idempotency_key: str


class Answer(NamedTuple):
    """The first response to a request, and the hash of the request's body."""

    body_hash: str
    status: int
    headers: Mapping[str, str]
    body: bytes


# SQLAlchemy counts inserted rows only on request.
_CLAIM = {
    "sqlite": sqlite.insert(ANSWERS).on_conflict_do_nothing().execution_options(preserve_rowcount=True),
    "postgresql": postgresql.insert(ANSWERS).on_conflict_do_nothing().execution_options(preserve_rowcount=True),
}
_IS_REQUEST = and_(*(ANSWERS.c[name] == bindparam(f"r_{name}") for name in Request._fields))
_STORED = select(ANSWERS.c.at, ANSWERS.c.body_hash, ANSWERS.c.status, ANSWERS.c.headers, ANSWERS.c.body).where(
    _IS_REQUEST
)
_FILL = update(ANSWERS).where(_IS_REQUEST)


def claim(tx: Transaction, request: Request, *, body_hash: str, at: datetime) -> Answer | None:
    """Return the stored response to a request, or None if the request is new.

    If it is new, complete its response in this transaction. If another transaction is processing the same request, wait
    for it to end.
    """
    same = {f"r_{name}": value for name, value in request._asdict().items()}
    new = {**request._asdict(), "body_hash": body_hash, "at": at}
    while tx.execute(_CLAIM[tx.dialect.name], new).rowcount != 1:
        stored = tx.execute(_STORED, same).first()
        if stored is None:
            continue  # purged in between
        if stored.at > at - STORED_FOR:
            return Answer(stored.body_hash, stored.status, json.loads(stored.headers), stored.body)
        tx.execute(delete(ANSWERS).where(_IS_REQUEST, ANSWERS.c.at == stored.at), same)
    return None


def complete(tx: Transaction, request: Request, *, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Store the response to a request that this transaction has claimed."""
    same = {f"r_{name}": value for name, value in request._asdict().items()}
    tx.execute(_FILL.values(status=status, headers=json.dumps(dict(headers)), body=body), same)


def purge(tx: Transaction, at: datetime) -> int:
    """Delete expired responses; return how many there were."""
    return tx.execute(delete(ANSWERS).where(ANSWERS.c.at <= at - STORED_FOR)).rowcount
