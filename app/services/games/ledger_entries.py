"""What a counted game enters into the ledger."""

from collections.abc import Sequence
from datetime import date

from app.repositories.games.games import SeatedPlayer
from app.repositories.games.ledger import Entry, Line, Seat
from app.scoring.breakdown import Breakdown


def entries_of(breakdown: Breakdown, seats: Sequence[SeatedPlayer], *, game_id: int, played_on: date) -> list[Entry]:
    """One entry a seat, an unregistered one too; ``seats`` run along the game's.

    Raises:
        ValueError: the game cannot count: it was cancelled.
    """
    game = breakdown.game
    if game.outcome is None:
        raise ValueError("a game without an outcome enters no ledger")
    played = breakdown.played
    entries = []
    each = zip(played.seats, played.teams, played.results, breakdown.lines, strict=True)
    for i, (seat, team, result, lines) in enumerate(each):
        if team is None or result is None:
            raise ValueError(f"seat {seat.seat} has no result")
        entries.append(
            Entry(
                game_id,
                seat.seat,
                played_on,
                Seat(
                    player_id=seats[i].player_id,
                    registered=seats[i].registered,
                    role=seat.role,
                    team=team,
                    result=result,
                    outcome=game.outcome,
                    stage=game.stage,
                    first_kill=i == played.first_kill,
                    opens=i == 0,
                ),
                tuple([Line(clause, line.code, line.category, line.points) for clause, line in lines]),
            )
        )
    return entries
