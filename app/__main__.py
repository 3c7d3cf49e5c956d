"""``python -m app``: what ``mafrate serve`` does, or any other command that is named."""

import sys

from app.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["serve"]))
