"""What a counted game enters into the ledger."""

from collections.abc import Sequence
from datetime import date

from app.repositories.games.ledger import Entry, Line
from app.scoring.breakdown import Breakdown


def entries_of(breakdown: Breakdown, player_ids: Sequence[int], *, game_id: int, played_on: date) -> list[Entry]:
    """One entry a seat, an unregistered one too; ``player_ids`` run along the game's seats.

    Raises:
        ValueError: the game cannot count: it was cancelled.
    """
    game = breakdown.game
    if game.outcome is None:
        raise ValueError("a game without an outcome enters no ledger")
    played = breakdown.played
    registered = breakdown.registered
    entries = []
    each = zip(played.seats, played.teams, played.results, breakdown.lines, strict=True)
    for i, (seat, team, result, lines) in enumerate(each):
        if team is None or result is None:
            raise ValueError(f"seat {seat.seat} has no result")
        entries.append(
            Entry(
                game_id=game_id,
                seat=seat.seat,
                opens=i == 0,
                player_id=player_ids[i],
                registered=registered[i],
                role=seat.role,
                team=team,
                result=result,
                outcome=game.outcome,
                stage=game.stage,
                first_kill=i == played.first_kill,
                played_on=played_on,
                lines=tuple([Line(clause, line.code, line.category, line.points) for clause, line in lines]),
            )
        )
    return entries
