"""What every rule asks of one game, computed once."""

from collections.abc import Iterable, Mapping
from typing import Final

from app.scoring.game import Game, Seat
from app.scoring.nickname import folded
from app.scoring.terms import Result, Team
from app.scoring.text import Text

_REQUIRED: Final = sum(field.is_required() for field in Seat.model_fields.values())


class Played:
    """One game seen through a table's roles; lists run along ``game.seats`` and rules speak of seats by their index.

    A seat whose role the table does not know has no team and no result; a game whose outcome the table does not know,
    or that was cancelled, has no results at all.
    """

    __slots__ = (
        "bonused",
        "caused_ppk",
        "drawn",
        "exited",
        "first_kill",
        "foreign",
        "free",
        "game",
        "index",
        "marked",
        "names",
        "penalized",
        "removed",
        "results",
        "role_names",
        "seats",
        "teams",
        "won",
    )

    def __init__(
        self, game: Game, team_of: Mapping[str, Team], role_names: Mapping[str, Text], most_seats: int = 0
    ) -> None:
        seats = game.seats
        outcome = game.outcome
        self.game: Game = game
        self.seats: tuple[Seat, ...] = seats
        self.role_names = role_names
        self.free: range = range(1, most_seats + 1)
        """The seats at which somebody may still sit down; none, unless the game is unfinished."""
        self.names: list[str] = [folded(seat.player) for seat in seats]
        """What the players are told apart by where nothing else does."""
        self.teams: list[Team | None] = [team_of.get(seat.role) for seat in seats]
        self.index: dict[int, int] = {}
        """Seat number to index; of a number written twice, the first."""
        self.bonused: list[int] = []
        self.penalized: list[int] = []
        self.removed: list[int] = []
        self.marked: list[int] = []
        self.exited: list[int] = []
        self.foreign: list[int] = []
        """Where a seat has what few regulations read: days lived, registration, a reason of removal."""
        for i, seat in enumerate(seats):
            self.index.setdefault(seat.seat, i)
            if len(seat.model_fields_set) == _REQUIRED:
                continue  # Most seats have nothing else; looking for it takes as long as all the rest.
            if seat.bonus is not None:
                self.bonused.append(i)
            if seat.penalties:
                self.penalized.append(i)
            if seat.removed is not None:
                self.removed.append(i)
            if seat.marks:
                self.marked.append(i)
            if seat.exit is not None:
                self.exited.append(i)
            if (
                seat.days_lived is not None
                or seat.registered is not None
                or (seat.removed is not None and seat.removed.reason is not None)
            ):
                self.foreign.append(i)
        self.drawn: bool = outcome == "draw" and not game.cancelled
        self.won: list[int] = []
        self.results: list[Result | None]
        if self.drawn:
            self.results = ["draw"] * len(seats)
        elif game.cancelled or outcome is None or outcome not in self.teams:
            self.results = [None] * len(seats)
        else:
            self.won = [i for i, team in enumerate(self.teams) if team == outcome]
            self.results = ["won" if team == outcome else None if team is None else "lost" for team in self.teams]
        kill = game.first_kill
        self.first_kill: int | None = None if kill is None or kill.seat is None else self.index.get(kill.seat)
        self.caused_ppk: frozenset[int] = (
            frozenset(self.index[seat] for seat in game.ppk if seat in self.index) if game.ppk else frozenset()
        )

    @property
    def best_move_hits(self) -> int | None:
        """How many of those whom the first player killed named are black; None: nobody was named."""
        kill = self.game.first_kill
        if kill is None or kill.seat is None or not kill.best_move:
            return None
        return sum(self.teams[self.index[seat]] == "black" for seat in kill.best_move if seat in self.index)

    def named(self, roles: Iterable[str]) -> list[Text | str]:
        """How a message names these roles; one that the table does not know stays as it was written."""
        return [self.role_names.get(role, role) for role in roles]

    def has(self, fact: str, i: int) -> bool:
        """Whether ``removed``, ``ppk``, or a mark or penalty of this code is true of the seat at index ``i``."""
        if fact == "removed":
            return self.seats[i].removed is not None
        if fact == "ppk":
            return i in self.caused_ppk
        return fact in self.seats[i].marks or fact in self.seats[i].penalties
