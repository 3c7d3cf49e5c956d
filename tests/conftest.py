"""What every test may ask for."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.caches import redis_url  # noqa: F401  pytest finds fixtures by name
from tests.databases import (  # noqa: F401
    _emptied_postgresql,
    _migrated_postgresql,
    _statements_compiled_once,
    database,
    database_url,
    empty_database_url,
)

_MEMORY = Path("/dev/shm")

# httpx asks for it before each request, and what is not installed would be looked for everywhere each time.
sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]

if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > 2**30:
    # Of all that tests write nothing need outlive the machine.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


@pytest.fixture
def anyio_backend() -> str:
    """The service runs on asyncio (uvloop), so its tests do."""
    return "asyncio"
