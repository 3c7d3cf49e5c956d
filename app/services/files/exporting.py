"""A season's games as facts, to be written into files."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from app.repositories.database import Transaction
from app.repositories.games import games
from app.repositories.seasons.seasons import Season
from app.scoring.game import Game
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services.access import Caller, hidden_from, require, season_for_reading
from app.services.games import stored
from app.services.games.sent_game import rules_of
from app.validation import InvalidInput

_AT_ONCE: Final = 1_000
_SHEET_ROWS: Final = 1_048_575
"""Below its header; no spreadsheet shows more."""

_TOO_MANY: Final = words(
    "игр на листе — не больше {}; выгрузите CSV или NDJSON", "a sheet can hold {} games; export CSV or NDJSON instead"
)


def season_of(tx: Transaction, caller: Caller, club: str, season: str) -> Season:
    """The season whose games the caller may take out.

    Raises:
        NotFound: there is no such season that the caller may know of.
    """
    found = season_for_reading(tx, caller, club, season)
    require(caller, "export_games", found.club_id)
    return found


def games_of(tx: Transaction, caller: Caller, season: Season) -> Iterator[Game]:
    """The facts of every game that is not voided, nor hidden from the caller, in the order submitted; players under
    their present nicknames.

    A game without an external id has the one that it has here, by which an import knows it again. Notes go to the
    club's own keys only.
    """
    hidden = hidden_from(caller, season)
    each = (
        game
        for game in games.each(tx, season.id)
        if game.status != "voided" and not (hidden is not None and hidden.has(game.played_on, game.stage))
    )
    while batch := list(islice(each, _AT_ONCE)):
        for shown in stored.show_all(tx, caller, season, batch):
            facts = {"external_id": shown.public_id, **shown.facts}
            for seat in facts["seats"]:
                seat["player"] = shown.players[seat["seat"]].nickname
                if not shown.in_full:
                    seat.pop("bonus_note", None)
            yield Game.stored(facts)


def demand_a_sheet(tx: Transaction, season: Season) -> None:
    """Refuse to write more games into a sheet than one holds.

    Raises:
        InvalidInput: there may be more rows than that.
    """
    most = _SHEET_ROWS // rules_of(season).table.most
    found = sum(games.count_by_status(tx, season.id).values())
    if found > most:
        raise InvalidInput([Violation("too_large", "", _TOO_MANY, (most,), limit=most, actual=found)])
