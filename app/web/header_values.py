"""Lists in the values of headers: choices with weights, and entity tags."""

from typing import Final

REMEMBERED: Final = 32
"""Values of a header whose meaning is remembered. Each may be as long as all headers together: 32 KB."""


def weights(header: str) -> dict[str, float]:
    """What the client accepts, in lower case, and how much it prefers each: 0 to 1 (RFC 9110, 12.4.2)."""
    found: dict[str, float] = {}
    for choice in header.lower().split(","):
        name, _, parameter = choice.partition(";")
        found[name.strip()] = max(found.get(name.strip(), 0.0), _weight(parameter))
    return found


def _weight(parameter: str) -> float:
    name, _, value = parameter.partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return min(max(float(value), 0.0), 1.0)
    except ValueError:
        return 0.0


def entity_tags(if_none_match: str) -> set[str]:
    """The tags without quotes, for a weak comparison (RFC 9110, 13.1.2); ``*`` is itself."""
    return {tag.strip().removeprefix("W/").strip('"') for tag in if_none_match.split(",")}
