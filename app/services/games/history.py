"""Every version of a game: who wrote it, when and why, and what it changed in points."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from app.repositories.clubs import keys
from app.repositories.clubs import players as people
from app.repositories.clubs.keys import Key
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.database.pages import Page, after_row, page_of
from app.repositories.games import games
from app.repositories.games.games import Version
from app.repositories.games.hidden_games import HiddenGames
from app.scoring.exact_json import loads
from app.scoring.points import Points
from app.services.access import Caller, hidden_from, season_for_reading
from app.services.games import stored


class PointsChange(NamedTuple):
    """What a version changed for one player in one seat; points in millionths."""

    seat: int
    player: Player
    before: Points
    after: Points


class PastVersion(NamedTuple):
    """One version of a game."""

    version: Version
    facts: dict[str, Any]
    """As they were written then."""
    players: Mapping[int, Player]
    """By seat; of merged players the survivors."""
    moved: Sequence[PointsChange]
    key: Key | None
    """Who wrote it; None where keys are not shown."""
    in_full: bool
    """Whether notes, reasons and keys are shown."""


def page(
    tx: Transaction, caller: Caller, club: str, season: str, game_id: str, *, cursor: str | None, limit: int
) -> Page[PastVersion]:
    """The versions of a game that are not hidden from the caller, the first first.

    Raises:
        NotFound: there is no such game that the caller may know of.
        NotACursor: the cursor is of another list.
    """
    of = season_for_reading(tx, caller, club, season)
    game = stored.find_shown(tx, caller, of, game_id)
    versions = [version for version in games.versions(tx, game.id) if not _is_hidden(version, hidden_from(caller, of))]
    shown_before = 0 if cursor is None else after_row(cursor)
    who = _players(tx, versions)
    in_full = caller.is_of(of.club_id)
    authors = keys.by_ids(tx, {version.key_id for version in versions}) if in_full else {}
    past = []
    before: dict[tuple[int, int], Points] = {}
    for version in versions:
        after = _in_tables(version, who)
        if version.version > shown_before:
            past.append(
                PastVersion(
                    version=version,
                    facts=loads(version.facts),
                    players={seat.seat: who[seat.player_id] for seat in version.seats},
                    moved=_moved(before, after, who.values()),
                    key=authors.get(version.key_id),
                    in_full=in_full,
                )
            )
        before = after
    return page_of(past[: limit + 1], limit, lambda one: (one.version.version,))


def _is_hidden(version: Version, hidden: HiddenGames | None) -> bool:
    """Whether the game was one of the hidden by this version."""
    if hidden is None:
        return False
    facts = loads(version.facts)
    return hidden.has(date.fromisoformat(facts["played_on"]), facts.get("stage"))


def _players(tx: Transaction, versions: Iterable[Version]) -> dict[int, Player]:
    """Who sat in any of the versions, by the row number written there; merged players' survivors instead of them."""
    found = people.by_ids(tx, {seat.player_id for version in versions for seat in version.seats})
    return people.survivors(tx, found.values())


def _in_tables(version: Version, who: Mapping[int, Player]) -> dict[tuple[int, int], Points]:
    """The points by seat and player that counted in the season's table while this version was current."""
    if version.status != "counted":
        return {}
    seats = {seat.seat: seat for seat in version.seats}
    return {(seat, who[seats[seat].player_id].id): points for seat, points in version.totals if seats[seat].registered}


def _moved(
    before: Mapping[tuple[int, int], Points], after: Mapping[tuple[int, int], Points], people: Iterable[Player]
) -> list[PointsChange]:
    by_id = {player.id: player for player in people}
    return [
        PointsChange(seat, by_id[player], before.get((seat, player), 0), after.get((seat, player), 0))
        for seat, player in sorted({*before, *after})
        if before.get((seat, player), 0) != after.get((seat, player), 0)
    ]
