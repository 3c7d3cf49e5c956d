"""Finding players of a club while a nickname is typed, as fast as one types.

Nicknames and last days are kept in memory, by club. A search looks whether anything changed since and reads that alone.
"""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from datetime import date
from typing import Final, NamedTuple

from app.repositories import journal
from app.repositories.clubs import last_played, players
from app.repositories.clubs.last_played import PlayersMark, SeasonMark
from app.repositories.database import Transaction
from app.scoring.nickname import folded
from app.services.access import Caller, club_for
from app.services.clubs.players import PlayerWithAliases, outline, with_aliases

_MOST_NAMES: Final = 200_000
"""How many nicknames are kept in memory, some 300 bytes each."""

_FEW_CHANGES: Final = 50
"""If more than these were made of a season since, it is read anew."""

_NEVER: Final = date.min


class _Season(NamedTuple):
    mark: SeasonMark
    last_days: Mapping[int, date]


class _Name(NamedTuple):
    """One nickname of a player, current or former."""

    outline: str
    folded: str
    player: int
    """Row number."""


class _Directory(NamedTuple):
    """What is known of a club's players, in one state of the database."""

    mark: PlayersMark | None
    names: list[_Name]
    """Who played last first, then by nickname."""
    seasons: Mapping[int, _Season]


_UNKNOWN: Final = _Directory(None, [], {})


class PlayerDirectories:
    """The directories of the clubs that were searched last."""

    def __init__(self) -> None:
        self._known: OrderedDict[int, _Directory] = OrderedDict()
        self._lock = threading.Lock()

    def current(self, tx: Transaction, club_id: int) -> _Directory:
        """The club's directory as ``tx`` sees it."""
        known = self._known.get(club_id, _UNKNOWN)
        mark, marks = last_played.players_mark(tx, club_id), last_played.season_marks(tx, club_id)
        same_names = known is not _UNKNOWN and known.mark == mark
        if same_names and marks == {number: season.mark for number, season in known.seasons.items()}:
            return known
        # An archive brings players with its season, and the journal names only that.
        if same_names and marks.keys() == known.seasons.keys():
            names, seasons = known.names, known.seasons
        else:
            names = [_Name(outline(name), name, number) for name, number in last_played.folded_names(tx, club_id)]
            seasons = {}
        seasons = {number: _season(tx, number, mark, seasons.get(number)) for number, mark in marks.items()}
        last_days: dict[int, date] = {}
        for season in seasons.values():
            _raise(last_days, season.last_days)
        days = {number: -day.toordinal() for number, day in last_days.items()}
        names = sorted(names, key=lambda name: (days.get(name.player, 0), name.folded))
        directory = _Directory(mark, names, seasons)
        self._keep(club_id, directory)
        return directory

    def _keep(self, club_id: int, directory: _Directory) -> None:
        """Keep the directory, and forget who was searched longest ago; the last one stays however large it is."""
        with self._lock:
            self._known[club_id] = directory
            self._known.move_to_end(club_id)
            held = sum([len(known.names) for known in self._known.values()])
            while held > _MOST_NAMES and len(self._known) > 1:
                _, gone = self._known.popitem(last=False)
                held -= len(gone.names)


def search(
    tx: Transaction, directories: PlayerDirectories, caller: Caller, club: str, text: str, *, limit: int
) -> list[PlayerWithAliases]:
    """Return players of the club by any part of a nickname, current or former, the likeliest first.

    Whose nickname begins with ``text`` comes before whom it is only a part of; then who played last, then by nickname.
    Upper and lower case, accents and letters of either alphabet that look alike are equal. Blank: who played last.

    Raises:
        Unauthorized: players are shown to the club's keys only.
        NotFound: there is no such club for the caller.
    """
    found = club_for(tx, caller, club, "list_players")
    directory = directories.current(tx, found.id)
    sought = outline(folded(text))
    begin: dict[int, None] = {}
    contain: dict[int, None] = {}
    for name in directory.names:
        if sought in name.outline:
            (begin if name.outline.startswith(sought) else contain)[name.player] = None
            if len(begin) == limit:
                break
    best = list(begin | contain)[:limit]
    shown = players.by_ids(tx, best)
    return with_aliases(tx, [shown[number] for number in best])


def _season(tx: Transaction, season_id: int, mark: SeasonMark, known: _Season | None) -> _Season:
    """The season at ``mark``: as it is known, with the games that were submitted since, or read anew."""
    if known is not None and known.mark == mark:
        return known
    if known is not None and known.mark.created_at == mark.created_at and known.mark.revision < mark.revision:
        since = journal.after(tx, season_id, known.mark.revision, limit=_FEW_CHANGES + 1)
        if len(since) <= _FEW_CHANGES and {change.action for change in since} == {"game_submitted"}:
            last_days = dict(known.last_days)
            _raise(last_days, last_played.of_games(tx, [change.target for change in since]))
            return _Season(mark, last_days)
    return _Season(mark, last_played.of_season(tx, season_id))


def _raise(days: dict[int, date], others: Mapping[int, date]) -> None:
    """Let each day be the later one of both."""
    for number, day in others.items():
        if day > days.get(number, _NEVER):
            days[number] = day
