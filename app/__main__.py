"""``python -m app``: what ``mafrate serve`` does, or any other command that is named."""

import signal
import sys
from collections.abc import Sequence


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command. It takes a second to load, in which Ctrl+C just ends it."""
    usual = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from app.cli import main

    signal.signal(signal.SIGINT, usual)
    return main(arguments)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:] or ["serve"]))
