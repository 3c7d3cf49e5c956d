"""Which of the two languages an answer speaks (RFC 9110, 12.5.4)."""

from typing import Final, Literal, TypeAlias

from starlette.requests import Request

from app.web.header_cache import header_cache

Language: TypeAlias = Literal["ru", "en"]
DEFAULT: Final[Language] = "en"


def language_of(request: Request) -> Language:
    """The language that ``Accept-Language`` prefers of Russian and English; English when it says neither."""
    accepted = request.headers.get("accept-language")
    return DEFAULT if accepted is None else _preferred(accepted)


@header_cache(maxsize=256)
def _preferred(accepted: str) -> Language:
    weights: dict[str, float] = {}
    for choice in accepted.split(","):
        tag, _, parameter = choice.partition(";")
        primary = tag.strip().lower().partition("-")[0]
        weights[primary] = max(weights.get(primary, 0.0), _weight(parameter))
    anything = weights.get("*", 0.0)
    return "ru" if weights.get("ru", anything) > weights.get("en", anything) else "en"


def _weight(parameter: str) -> float:
    name, _, value = parameter.partition("=")
    if name.strip().lower() != "q":
        return 1.0
    try:
        return min(max(float(value), 0.0), 1.0)
    except ValueError:
        return 0.0
