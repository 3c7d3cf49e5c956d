"""Taking in what nobody reads: a client that sends its whole body before it looks for an answer must get to the answer.

Many do (Python's urllib among them). A connection that is closed on the rest of a body is reset, and the reset throws
away the answer that was on its way (RFC 9112, 9.6).
"""

import asyncio
from contextlib import suppress
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

SILENT_SECONDS: Final = 2.0
"""How long nothing of the rest of a body may come."""

MOST_SECONDS: Final = 120.0
"""How long an answer may wait for all of it: a season of thousands of games over a slow line."""

MOST_BYTES: Final = 200_000_000
"""A season of a quarter of a million games."""

_BODIES: Final = frozenset({b"content-length", b"transfer-encoding"})


class DrainBody:
    """ASGI middleware that ends an answer only when the body has been read, as long as it keeps coming.

    The answer itself is sent at once; what is left of the body goes nowhere and is held nowhere.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and look at how much of its body was taken."""
        if scope["type"] != "http" or _BODIES.isdisjoint([name for name, _ in scope["headers"]]):
            await self.app(scope, receive, send)
            return
        unread = True

        async def receiving() -> Message:
            nonlocal unread
            message = await receive()
            unread = message.get("more_body", False)
            return message

        async def sending(message: Message) -> None:
            if unread and message["type"] == "http.response.body" and not message.get("more_body", False):
                await send({**message, "more_body": True})
                await _drain(receive)
                message = {"type": "http.response.body", "body": b""}
            await send(message)

        await self.app(scope, receiving, sending)


async def _drain(receive: Receive) -> None:
    taken = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(MOST_SECONDS):
            while taken < MOST_BYTES:
                async with asyncio.timeout(SILENT_SECONDS):
                    message = await receive()
                taken += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
