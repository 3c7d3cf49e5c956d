"""Patterns of slugs, public IDs and one-line texts, wherever a request, a sheet or an archive brings them."""

from typing import Final

SLUG: Final = "^[a-z0-9][a-z0-9-]{0,62}$"
"""A club or a season in a URL."""

_CHARACTERS: Final = "[0-9a-z]{18}"
GAME_ID: Final = f"g_{_CHARACTERS}"
KEY_ID: Final = f"k_{_CHARACTERS}"
PLAYER_ID: Final = f"p_{_CHARACTERS}"
WEBHOOK_ID: Final = f"w_{_CHARACTERS}"
DELIVERY_ID: Final = f"d_{_CHARACTERS}"
ANY_ID: Final = f"[gkp]_{_CHARACTERS}"

DAY_END: Final = "(?:0[0-9]|1[01]):[0-5][0-9]|12:00"
"""A time up to noon, until which it is still the day before."""

PLAIN_CHARACTER: Final = r"[^\x00-\x1f\x7f-\x9f]"
"""Any character except control characters, line breaks among them."""
PLAIN_TEXT: Final = f"^{PLAIN_CHARACTER}*$"
