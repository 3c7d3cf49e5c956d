"""Signatures as Standard Webhooks says (https://www.standardwebhooks.com): version 1, HMAC-SHA256 with a secret."""

import base64
import hmac
import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

_MARK: Final = "whsec_"
_SECRET_BYTES: Final = 32


def new_secret() -> str:
    """Return a secret: ``whsec_`` and 256 random bits in Base64."""
    return _MARK + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def signed(message_id: str, body: bytes, keys: Iterable[str], now: datetime) -> Mapping[str, str]:
    """Return the headers that say of a message what it is, when it was sent, and by each of the secrets from whom."""
    seconds = int(now.timestamp())
    content = b"%s.%d.%s" % (message_id.encode(), seconds, body)
    signatures = [_signature(key, content) for key in keys]
    return {"webhook-id": message_id, "webhook-timestamp": str(seconds), "webhook-signature": " ".join(signatures)}


def _signature(secret: str, content: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(_MARK))
    return "v1," + base64.b64encode(hmac.digest(key, content, "sha256")).decode()
