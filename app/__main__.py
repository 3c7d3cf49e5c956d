"""``python -m app``: start the service as the settings say and tell where it is."""

import os
import sys
import tempfile
from contextlib import ExitStack
from typing import Final

import uvicorn

from app.config import Settings, WrongSetting

_GREETING: Final = """\
mafrate: {address}
  documentation   {address}/docs
  the regulations {address}/v1/rule-systems
  try it          {address}/v1/rule-systems/maffamily
  how to          README.md
Stop it with Ctrl+C.
"""


def serve(settings: Settings) -> None:
    """Serve until told to stop."""
    with ExitStack() as stack:
        if settings.workers > 1:
            # Must be set before the workers import the metrics; app.web.metrics says what it is for.
            shared = stack.enter_context(tempfile.TemporaryDirectory(prefix="mafrate-metrics-"))
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = shared
        sys.stdout.write(_GREETING.format(address=_address(settings)))
        sys.stdout.flush()
        uvicorn.run(
            "app.main:create_app",
            factory=True,
            host=settings.host,
            port=settings.port,
            workers=settings.workers,
            log_level=settings.log_level,
            access_log=settings.log_level == "debug",
            proxy_headers=bool(settings.trusted_proxies),
            forwarded_allow_ips=list(settings.trusted_proxies),
            server_header=False,
            timeout_graceful_shutdown=10,
        )


def _address(settings: Settings) -> str:
    everywhere = settings.host in {"0.0.0.0", "::"}  # noqa: S104 - compared, not bound
    host = "127.0.0.1" if everywhere else settings.host
    return f"http://[{host}]:{settings.port}" if ":" in host else f"http://{host}:{settings.port}"


def main() -> int:
    """Start the service; 2 when a setting is wrong."""
    try:
        serve(Settings.from_environ(os.environ))
    except WrongSetting as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
