"""Who plays next and where: nobody waits longer than need be, and anyone can repeat the draw (docs/evenings.md)."""

from collections.abc import Sequence, Set
from datetime import datetime
from typing import NamedTuple

from app.scoring.lots import drawn_order


class Round(NamedTuple):
    """Games that were played at the same time."""

    began_at: datetime
    players: Set[str]
    """All who sat at one of its tables."""


class Guest(NamedTuple):
    """A player who is there, and how the evening has gone."""

    player: str
    arrived_at: datetime
    missed: int
    """Rounds that began since without him."""


def guests(arrivals: Sequence[tuple[str, datetime]], rounds: Sequence[Round]) -> list[Guest]:
    """The players who are there, in order of arrival, each with the rounds that he missed since he came."""
    return [
        Guest(player, came, sum(came <= one.began_at and player not in one.players for one in rounds))
        for player, came in arrivals
    ]


def next_players(there: Sequence[Guest], seats: int) -> list[str]:
    """The players of the next game: first who missed most, then who came first.

    As long as nobody leaves or comes, the rounds that any two of them missed differ by no more than one.
    """
    return [guest.player for guest in sorted(there, key=lambda guest: -guest.missed)][:seats]


def seated(players: Sequence[str], seed: str) -> tuple[str, ...]:
    """The players by seat, the first in seat 1; every order is equally likely over seeds (:mod:`app.scoring.lots`)."""
    return drawn_order(players, seed)
