"""What every test may ask for."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def anyio_backend() -> str:
    """The service runs on asyncio (uvloop), so its tests do."""
    return "asyncio"


@pytest.fixture(scope="session")
def league() -> Path:
    """The folder with a real league's games, which lies beside a checkout and not in it."""
    folder = ROOT.parent / "shared" / "data" / "league"
    if not folder.is_dir():
        pytest.skip("needs the league's games in ../shared/data/league")
    return folder
