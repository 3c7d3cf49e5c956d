"""Players of a club who are likely one person: nicknames that look alike, and never seen at one table.

Nicknames that differ only by invisible characters are named even of players who sat together: no new nickname can be
so, and one of the two should be renamed.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, islice
from typing import Final, NamedTuple

from app.repositories.clubs import merges, players
from app.repositories.database import Transaction
from app.repositories.database.pages import Page, after_rows, page_of
from app.scoring.nickname import folded
from app.scoring.text import Text, words
from app.services.access import Caller, club_for
from app.services.clubs.players import PlayerWithAliases, outline

_SHORTEST: Final = 4
"""Shorter nicknames differ by a letter too often to say anything: Ann, Ana, Dan."""

_CROWD: Final = 20
"""More nicknames than these that are one letter apart are a pattern and no slips: Guest A, Guest B …"""


class Reason(NamedTuple):
    """Why two nicknames may be one person's; ``text`` takes both."""

    code: str
    text: Text


INVISIBLE: Final = Reason(
    "invisible",
    words("«{}» и «{}» различаются только невидимыми символами.", "“{}” and “{}” differ only by invisible characters."),
)
LOOK_ALIKE: Final = Reason(
    "look_alike",
    words(
        "«{}» и «{}» выглядят одинаково: различаются только алфавитом, цифрами или знаками над буквами.",
        "“{}” and “{}” look alike: they mix alphabets, digits or accents.",
    ),
)
CLOSE_SPELLING: Final = Reason(
    "close_spelling", words("«{}» и «{}» различаются одной буквой.", "“{}” and “{}” differ by one letter.")
)
_REASONS: Final = (INVISIBLE, LOOK_ALIKE, CLOSE_SPELLING)
"""The likeliest first."""


class Likeness(NamedTuple):
    """Two players, the one who came first first, and why they may be one person."""

    reason: Reason
    nicknames: tuple[str, str]
    """One of each player, current or former."""
    players: tuple[PlayerWithAliases, PlayerWithAliases]


class _Pair(NamedTuple):
    """Two row numbers in ascending order; pairs sort by reason, the likeliest first."""

    reason: int
    one: int
    other: int


def page(tx: Transaction, caller: Caller, club: str, *, cursor: str | None, limit: int) -> Page[Likeness]:
    """Return pairs of the club's players who may be one person, the likeliest first.

    Raises:
        Unauthorized, Forbidden: only judges, chief judges and presidents may list them.
        NotFound: there is no such club for the caller.
        NotACursor: the cursor belongs to another list.
    """
    found = club_for(tx, caller, club, "list_duplicates")
    known = _known(tx, found.id)
    after = None if cursor is None else _Pair(*after_rows(cursor, 3))
    alike = likenesses({number: [one.player.nickname, *one.aliases] for number, one in known.items()})
    pairs = sorted(pair for pair in alike if after is None or pair > after)
    apart = (pair for pair in pairs if _is_shown(tx, pair))
    shown = page_of(list(islice(apart, limit + 1)), limit, tuple)
    items = [Likeness(_REASONS[pair.reason], alike[pair], (known[pair.one], known[pair.other])) for pair in shown.items]
    return Page(items, shown.next_cursor)


def _is_shown(tx: Transaction, pair: _Pair) -> bool:
    return _REASONS[pair.reason] is INVISIBLE or not merges.sat_together(tx, pair.one, pair.other)


def likenesses(nicknames: Mapping[int, Iterable[str]]) -> dict[_Pair, tuple[str, str]]:
    """For each pair of players whose nicknames are alike the likeliest reason and the two nicknames.

    Only nicknames that older services stored differ by invisible characters alone. Nicknames look alike when they are
    the same once letters of other alphabets, and digits, are read as the letters that they look like. They are close
    when leaving out at most one letter of each makes them look alike: a letter missing, too many, another one or in
    another place. Those that only digits tell apart were told apart on purpose.
    """
    visible: dict[str, dict[int, str]] = defaultdict(dict)
    outlines: dict[str, dict[int, str]] = defaultdict(dict)
    for number in sorted(nicknames):
        for nickname in nicknames[number]:
            visible[folded(nickname)].setdefault(number, nickname)
            outlines[outline(folded(nickname))].setdefault(number, nickname)
    found: dict[tuple[int, int], tuple[int, tuple[str, str]]] = {}
    for reason, alike in ((INVISIBLE, visible), (LOOK_ALIKE, outlines)):
        for owners in alike.values():
            for (one, first), (other, second) in combinations(islice(owners.items(), _CROWD), 2):
                found.setdefault((one, other), (_REASONS.index(reason), (first, second)))
    for left, right in _close(outlines):
        for one, first in outlines[left].items():
            for other, second in outlines[right].items():
                if one != other and _letters(first) != _letters(second):
                    pair, spelled = ((one, other), (first, second)) if one < other else ((other, one), (second, first))
                    found.setdefault(pair, (_REASONS.index(CLOSE_SPELLING), spelled))
    return {_Pair(reason, *pair): spelled for pair, (reason, spelled) in found.items()}


def _close(outlines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs of different outlines that leaving out at most one letter of each makes the same; a pair may come twice."""
    shortened: dict[str, list[str]] = defaultdict(list)
    for name in outlines:
        if len(name) >= _SHORTEST:
            for rest in {name, *(name[:i] + name[i + 1 :] for i in range(len(name)))}:
                shortened[rest].append(name)
    for names in shortened.values():
        if len(names) <= _CROWD:
            yield from combinations(names, 2)


def _letters(nickname: str) -> str:
    return "".join(letter for letter in folded(nickname) if not letter.isdigit())


def _known(tx: Transaction, club_id: int) -> dict[int, PlayerWithAliases]:
    """The club's players who were not merged, by row number."""
    of_club = players.of_club(tx, club_id)
    present = {number: player for number, player in of_club.items() if player.merged_into is None}
    aliases = players.aliases(tx, present)
    return {number: PlayerWithAliases(player, aliases.get(number, [])) for number, player in present.items()}
