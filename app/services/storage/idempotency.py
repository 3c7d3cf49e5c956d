"""A request that carries ``Idempotency-Key``: done once, then answered the same for a day."""

from collections.abc import Mapping
from datetime import datetime

from app.repositories import idempotency
from app.repositories.database import Transaction
from app.repositories.idempotency import Answer, Request
from app.services.errors import IdempotencyMismatch

__all__ = ["Answer", "Request", "claim", "keep"]


def claim(tx: Transaction, request: Request, *, body_hash: str, at: datetime) -> Answer | None:
    """The answer that the request got before; None: it is new, and this transaction answers it.

    Raises:
        IdempotencyMismatch: it came with another body.
    """
    before = idempotency.claim(tx, request, body_hash=body_hash, at=at)
    if before is not None and before.body_hash != body_hash:
        raise IdempotencyMismatch
    return before


def keep(tx: Transaction, request: Request, *, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Keep the answer to a request that this transaction has claimed."""
    idempotency.complete(tx, request, status=status, headers=headers, body=body)
