"""Which of the two languages an answer speaks (RFC 9110, 12.5.4)."""

from functools import lru_cache
from typing import Final, Literal, TypeAlias

from starlette.requests import Request

from app.web.header_values import REMEMBERED, weights

Language: TypeAlias = Literal["ru", "en"]
DEFAULT: Final[Language] = "en"


def language_of(request: Request) -> Language:
    """The language that ``Accept-Language`` prefers of Russian and English; English when it says neither."""
    accepted = request.headers.get("accept-language")
    return DEFAULT if accepted is None else _preferred(accepted)


@lru_cache(maxsize=REMEMBERED)
def _preferred(accepted: str) -> Language:
    by_language: dict[str, float] = {}
    for tag, weight in weights(accepted).items():
        primary = tag.partition("-")[0]
        by_language[primary] = max(by_language.get(primary, 0.0), weight)
    anything = by_language.get("*", 0.0)
    return "ru" if by_language.get("ru", anything) > by_language.get("en", anything) else "en"
