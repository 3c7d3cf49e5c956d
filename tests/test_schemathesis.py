"""The service against its own OpenAPI document: whatever can be generated from it gets an answer that it describes.

It is asked with a president's key, about a club in which there is one of everything.
"""

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
import schemathesis
from httpx import ASGITransport, AsyncClient
from pydantic import SecretStr
from schemathesis import Case
from schemathesis.config import SchemathesisConfig

from app.config import Settings
from app.main import create_app
from app.repositories.schema import bring_up_to_date
from tests.http.club import ADMIN, SEASON, new_club
from tests.http.conftest import RED_WON

# schemathesis wants its schema when tests are collected, so what it describes is there before any fixture is.
FOLDER: Final = Path(tempfile.mkdtemp(prefix="mafrate-schemathesis-"))
atexit.register(shutil.rmtree, FOLDER)
DATABASE: Final = FOLDER / "mafrate.db"
FILLED: Final = FOLDER / "filled.db"
APP: Final = create_app(Settings(database_url=f"sqlite:///{DATABASE}", admin_key=SecretStr(ADMIN)))


class Patience:
    """Invalid keys are among what is generated, and more of them than one address is allowed in a minute."""

    def note(self, _address: str) -> None:
        return None

    def wait(self, _address: str) -> None:
        return None


async def _filled() -> tuple[str, dict[str, list[str]]]:
    """The president's secret, and what stands for each parameter of a path."""
    async with AsyncClient(transport=ASGITransport(APP), base_url="http://mafrate") as client:
        club = await new_club(client)
        await club.ask("president", "POST", "/seasons", {**SEASON, "starts_on": None, "ends_on": None})
        game = await club.ask("president", "POST", "/seasons/spring/games?create_players=true", RED_WON)
    ids = {
        "system_id": ["maffamily", "sport-percent", "city-average"],
        "club": [club.slug],
        "season": ["spring"],
        "key": [club.ids["judge"]],
        "game": [game.json()["id"]],
        "player": [seat["player_id"] for seat in game.json()["game"]["seats"]],
    }
    return club.secrets["president"], ids


@schemathesis.serializer(
    "application/x-ndjson", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/zip"
)
def as_file(_context: object, value: object) -> bytes:
    """A file to import, which need not be one."""
    return value if isinstance(value, bytes) else str(value).encode()


bring_up_to_date(APP.state.database)
APP.state.failed_logins = Patience()
APP.state.live_seasons.stop()  # streams end as soon as they begin
APP.state.deliverer.stop()  # it would look into the database while another takes its place
SECRET, IDS = anyio.run(_filled)
APP.state.database.close()
shutil.copy(DATABASE, FILLED)

CONFIG: Final = SchemathesisConfig.from_dict(
    {
        "auth": {"openapi": {"key": {"bearer": SECRET}}},
        "generation": {"deterministic": True, "max-examples": 40, "database": "none"},
        "dictionaries": {name: {"values": values} for name, values in IDS.items()},
        "parameters": {f"path.{name}": {"dictionary": name, "probability": 0.95} for name in IDS},
        # Whatever is sent as a file is text, of which each line is answered.
        "operations": [
            {"include-operation-id": "import_games", "checks": {"negative_data_rejection": {"enabled": False}}}
        ],
        "checks": {
            # What has the right shape may still break a rule, contradict what is kept, or ask for more than a
            # president may; and a made-up id names nothing.
            "positive_data_acceptance": {
                "expected-statuses": ["2xx", "304", "403", "404", "409", "412", "413", "422", "428"]
            },
            "negative_data_rejection": {
                "expected-statuses": ["401", "403", "404", "405", "412", "413", "415", "422", "428"]
            },
        },
    }
)

schema = schemathesis.openapi.from_asgi("/openapi.json", APP, config=CONFIG)


def as_filled() -> None:
    """Undo all that was changed."""
    APP.state.database.close()
    shutil.copy(FILLED, DATABASE)


@pytest.fixture(autouse=True)
def _apart() -> None:
    """What one operation has changed the next one does not find."""
    as_filled()


@schema.parametrize()
def test_whatever_is_sent_the_answer_is_as_described(case: Case[Any]) -> None:
    case.call_and_validate()


class Workflow(schema.as_state_machine()):  # type: ignore[misc]
    """One answer's ids go into the next request."""

    def setup(self) -> None:
        as_filled()


TestWhateverFollowsWhatever: Final = Workflow.TestCase
