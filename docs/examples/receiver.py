"""A receiver of webhooks: prints what happened, a line each. It needs nothing but Python.

WEBHOOK_SECRET=whsec_… python docs/examples/receiver.py 8080
"""

import base64
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

MOST_SECONDS_APART = 300


class Headers(Protocol):
    """Headers by name."""

    def get(self, name: str, default: str, /) -> str:
        """Return a header, or the default without it."""


def is_from_service(headers: Headers, body: bytes, secret: str) -> bool:
    """Return whether who knows the secret sent just this, and lately (https://www.standardwebhooks.com)."""
    sent_at = headers.get("webhook-timestamp", "")
    if not sent_at.isdigit() or abs(time.time() - int(sent_at)) > MOST_SECONDS_APART:
        return False
    content = f"{headers.get('webhook-id', '')}.{sent_at}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = "v1," + base64.b64encode(hmac.digest(key, content, "sha256")).decode()
    # While a secret is being replaced there are two signatures.
    return any(hmac.compare_digest(expected, one) for one in headers.get("webhook-signature", "").split())


class Receiver(BaseHTTPRequestHandler):
    """Takes what is signed. The same event may come twice, with the same `webhook-id`."""

    def do_POST(self) -> None:
        """Answer 204 when the event is dealt with; whatever else is answered, it comes again."""
        body = self.rfile.read(int(self.headers["content-length"]))
        is_right = is_from_service(self.headers, body, os.environ["WEBHOOK_SECRET"])
        if is_right:
            self.take(self.headers["webhook-id"], json.loads(body))
        self.send_response(204 if is_right else 401)
        self.end_headers()

    def take(self, id: str, event: dict[str, Any]) -> None:
        """Print what happened."""
        sys.stdout.write(f"{id} {json.dumps(event)}\n")
        sys.stdout.flush()

    def log_message(self, *_: object) -> None:
        """Print nothing but what happened."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
