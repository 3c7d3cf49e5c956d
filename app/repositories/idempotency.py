"""Answers kept to be given again, written in the transaction of what they answer: both are there, or neither is."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import and_, bindparam, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite

from app.repositories.database import Transaction
from app.repositories.tables import ANSWERS

KEPT = timedelta(hours=24)


class Request(NamedTuple):
    """What tells one request from another."""

    key_id: int
    method: str
    path: str
    idempotency_key: str


class Answer(NamedTuple):
    """The first answer to a request, and the hash of the body that it was given to."""

    body_hash: str
    status: int
    headers: Mapping[str, str]
    body: bytes


# SQLAlchemy keeps no count of inserted rows unless told to.
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
    """None: the request is new, its answer is to be completed in this transaction. Else what was answered before.

    While another transaction works on the same request this waits for it to end.
    """
    same = {f"r_{name}": value for name, value in request._asdict().items()}
    new = {**request._asdict(), "body_hash": body_hash, "at": at}
    while tx.execute(_CLAIM[tx.dialect.name], new).rowcount != 1:
        stored = tx.execute(_STORED, same).first()
        if stored is None:
            continue  # purged in between
        if stored.at > at - KEPT:
            return Answer(stored.body_hash, stored.status, json.loads(stored.headers), stored.body)
        tx.execute(delete(ANSWERS).where(_IS_REQUEST, ANSWERS.c.at == stored.at), same)
    return None


def complete(tx: Transaction, request: Request, *, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Keep the answer to a request that this transaction has claimed."""
    same = {f"r_{name}": value for name, value in request._asdict().items()}
    tx.execute(_FILL.values(status=status, headers=json.dumps(dict(headers)), body=body), same)


def purge(tx: Transaction, at: datetime) -> int:
    """Forget the answers that are too old to be given again; how many there were."""
    return tx.execute(delete(ANSWERS).where(ANSWERS.c.at <= at - KEPT)).rowcount
