"""A limit on work that takes memory or seconds: so many at once, the others come back later."""

from types import TracebackType
from typing import Final

RETRY_SECONDS: Final = 2

TURN_SECONDS: Final = 20.0
"""How long standings wait for their turn: those of ten thousand games with ten new players each take as long alone."""


class Saturated(Exception):
    """Every place is taken; ``seconds`` says when to try again."""

    def __init__(self, seconds: int) -> None:
        super().__init__("every place is taken")
        self.seconds = seconds


class Slots:
    """A context manager that ``size`` tasks of one event loop can be inside of; the next one gets :class:`Saturated`.

    Nobody waits: who waits holds a connection and, soon, a body.
    """

    def __init__(self, size: int) -> None:
        self.free = size

    def __enter__(self) -> None:
        if self.free == 0:
            raise Saturated(RETRY_SECONDS)
        self.free -= 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.free += 1
