"""The service against its own OpenAPI document: whatever can be generated from it gets an answer that it describes."""

from typing import Any, Final

import schemathesis
from schemathesis import Case
from schemathesis.config import SchemathesisConfig

from app.config import Settings
from app.main import create_app

CONFIG: Final = SchemathesisConfig.from_dict(
    {
        "generation": {"deterministic": True, "max-examples": 60, "database": "none"},
        "dictionaries": {"systems": {"values": ["maffamily", "sport-percent", "city-average"]}},
        "parameters": {"path.system_id": {"dictionary": "systems", "probability": 0.95}},
        "checks": {
            # A game of the right shape may still break a rule, and a made-up id names nothing.
            "positive_data_acceptance": {"expected-statuses": ["2xx", "404", "412", "413", "422", "428"]},
            "negative_data_rejection": {"expected-statuses": ["404", "405", "412", "413", "415", "422", "428"]},
        },
    }
)

schema = schemathesis.openapi.from_asgi("/openapi.json", create_app(Settings()), config=CONFIG)


@schema.parametrize()
def test_whatever_is_sent_the_answer_is_as_described(case: Case[Any]) -> None:
    case.call_and_validate()
