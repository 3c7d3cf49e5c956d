"""``python -m soak.shifted SECONDS``: the service with a clock that is so many seconds ahead, or behind if negative."""

import datetime as module
import sys
import time

_SHIFT = int(sys.argv[1])
_time, _time_ns = time.time, time.time_ns


class _Shifted(module.datetime):
    @classmethod
    def now(cls, tz: module.tzinfo | None = None) -> "_Shifted":
        return cls.fromtimestamp(_time() + _SHIFT, tz)


def main() -> int:
    """Set the clock before anything reads it, and serve."""
    time.time = lambda: _time() + _SHIFT
    time.time_ns = lambda: _time_ns() + _SHIFT * 1_000_000_000
    module.datetime = _Shifted  # type: ignore[misc]
    from app.cli import main

    return main(["serve"])


if __name__ == "__main__":
    sys.exit(main())
