"""HEAD: what GET would answer, without the body (RFC 9110, 9.3.2)."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class HeadAsGet:
    """ASGI middleware that answers HEAD wherever GET is answered, so that no route has to say so."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, as GET when it is HEAD."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        is_complete = False

        async def headers_only(message: Message) -> None:
            nonlocal is_complete
            if is_complete:
                return
            if message["type"] == "http.response.body":
                # Whatever else would come: a stream learns by this that nobody listens.
                is_complete, message = True, {"type": "http.response.body", "body": b""}
            await send(message)

        await self.app({**scope, "method": "GET"}, receive, headers_only)
