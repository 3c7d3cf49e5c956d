"""What Prometheus learns of requests: one histogram by method, route template and status."""

import os
import time
from typing import Final

from prometheus_client import CollectorRegistry, Histogram, disable_created_metrics, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.event_stream import MEDIA_TYPE

SHARED_DIRECTORY: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The variable by which processes find each other's numbers; it must be set before this module is imported."""

_STREAM: Final = (b"content-type", MEDIA_TYPE.encode())
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

disable_created_metrics()  # type: ignore[no-untyped-call]

REQUESTS: Final = Histogram(
    "mafrate_request_seconds",
    "Time from the request's head to the last byte of the answer; of an event stream, to its head.",
    ("method", "route", "status"),
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)


class RequestMetrics:
    """ASGI middleware that observes :data:`REQUESTS`; an exception that nothing answers counts as 500."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and observe how it went."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status = 500
        is_observed = False
        started = time.perf_counter()

        def observe() -> None:
            nonlocal is_observed
            if not is_observed:
                is_observed = True
                method = scope["method"] if scope["method"] in _METHODS else "other"
                REQUESTS.labels(method, _template(scope), status).observe(time.perf_counter() - started)

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if _STREAM in message["headers"]:
                    observe()  # how long it goes on says nothing about the service
            await send(message)

        try:
            await self.app(scope, receive, sending)
        finally:
            observe()


def _template(scope: Scope) -> str:
    return getattr(scope.get("route"), "path", "none")


def exposition() -> bytes:
    """All metrics in Prometheus' text format; of all worker processes where they share a directory."""
    if SHARED_DIRECTORY in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)
    return generate_latest()
