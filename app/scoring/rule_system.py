"""A regulation as one value: clauses in document order, each with its words and the rules that implement it."""

import hashlib
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.scoring.breakdown import Breakdown, RuleSystemId
from app.scoring.exact_json import loads
from app.scoring.explanation import ExplainedColumn, explain
from app.scoring.faults import faults
from app.scoring.formula import Formula
from app.scoring.game import Game
from app.scoring.game_rules import GameRules
from app.scoring.names import FIELDS
from app.scoring.played import Played
from app.scoring.ranking import Lot, Ranking, Standings, rank
from app.scoring.rules.city import NightRecord, night_seats
from app.scoring.rules.first_kill import seats_named
from app.scoring.rules.kind import AnyRule, Fact, GameRule, Rule, SeasonRule
from app.scoring.rules.table_rules import Award, Columns, Order, Publication, TieBreakers
from app.scoring.table import Reading, Table
from app.scoring.tally import Ask, Tallies
from app.scoring.tally_names import tally_names
from app.scoring.terms import FORMATS, Format
from app.scoring.text import Text, words
from app.scoring.unfinished import AnyGame, Judged, Unfinished, Waiting, in_order
from app.scoring.violation import RuleViolations, Violation

_R = TypeVar("_R", bound=Rule)

_NOT_USED = words("в этом регламенте нет поля «{}»; уберите его", "the field {} is not used in this regulation")
_STAGE_REQUIRED = words(
    "у игры турнира укажите стадию: отбор, полуфинал или финал", "a tournament game must have a stage"
)
_STAGE_NOT_ALLOWED = words("стадию указывают только в турнире; уберите её", "only tournament games have a stage")


class Clause(BaseModel):
    """A clause: its number or ID, its text, its interpretations, and the rules that implement it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: Annotated[str, Field(min_length=1, max_length=32)]
    text: Text
    readings: tuple[Reading, ...] = ()
    rules: tuple[AnyRule, ...] = ()


class SystemDocument(BaseModel):
    """A rule system as it is written. What it names need not be there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9:-]{0,127}$")]
    version: Annotated[int, Field(ge=1)]
    title: Text
    source: str
    table: Table
    clauses: tuple[Clause, ...]


class RuleSystem(SystemDocument):
    """A regulation that scores games and ranks players.

    Immutable, compared by value, and round-trips through JSON. Anything that cannot be computed (an unknown name in a
    formula, an order without its column) is rejected when the value is created.
    """

    @classmethod
    def from_json(cls, body: bytes | str) -> Self:
        """The system that a JSON text describes.

        Raises:
            MalformedJSON: not strict JSON.
            pydantic.ValidationError: not a rule system.
        """
        return cls.model_validate(loads(body))

    @model_validator(mode="after")
    def _can_be_computed(self) -> Self:
        for fault in faults(self.table, [(clause.number, clause.rules) for clause in self.clauses]):
            raise ValueError(fault.message("en"))
        return self

    @cached_property
    def fingerprint(self) -> str:
        """Equal for equal systems, in hex."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    @cached_property
    def key(self) -> RuleSystemId:
        """Id and version."""
        return RuleSystemId(self.id, self.version)

    @cached_property
    def game_rules(self) -> tuple[tuple[str, GameRule], ...]:
        """Every rule that sees one game, with the number of its clause, in document order."""
        return tuple((number, rule) for number, rule in self._rules() if isinstance(rule, GameRule))

    @cached_property
    def _by_method(self) -> GameRules:
        return GameRules.of(self.game_rules)

    @cached_property
    def reads(self) -> frozenset[str]:
        """The fields of a game that mean something here."""
        return self._by_method.reads

    @cached_property
    def rankings(self) -> Mapping[Format, Ranking]:
        """How each format makes its table."""
        return {format: self._ranking(format) for format in FORMATS}

    def prepare(self) -> None:
        """Work out once what every game and every table asks of the system."""
        _ = self.fingerprint, self.reads, self._by_method, self.rankings

    def check(self, game: Game, format: Format | None = None) -> list[Violation]:
        """Everything in ``game`` that is forbidden or cannot be; of a cancelled game, only its table, fields and stage.

        ``format``: where the game is played; None where the stage does not matter.
        """
        played = self.played(game)
        return self._wrong(played, format)

    def score(self, game: Game) -> Breakdown:
        """What each clause gives in a game that :meth:`check` finds nothing wrong with."""
        return Breakdown(self.key, self._by_method, self.played(game))

    def examine(self, game: Game, format: Format | None = None) -> Breakdown:
        """Check ``game``, then score it.

        Raises:
            RuleViolations: with everything that :meth:`check` found.
        """
        played = self.played(game)
        if violations := self._wrong(played, format):
            raise RuleViolations(violations)
        return Breakdown(self.key, self._by_method, played)

    def reexamine(self, game: Game, format: Format | None = None) -> Breakdown:
        """As :meth:`examine`, of a stored game whose players are told apart by more than their nicknames.

        What older services accepted keeps what it gave: facts that cannot all be true are no breach
        (docs/decisions/0009-published-regulations.md), and two players may have one nickname.
        """
        played = self.played(game)
        if violations := [found for found in self._forbidden(played, format) if found.code != "player_duplicate"]:
            raise RuleViolations(violations)
        return Breakdown(self.key, self._by_method, played)

    def judge(self, sent: Unfinished[AnyGame], format: Format | None = None) -> Judged:
        """What can be said of a game that may be unfinished: what is missing in it, what is wrong with it already, and
        what the rules give that can judge.
        """
        game = sent.game
        played = Played(game, self.table.team_of, self.table.role_names, self.table.most)
        found = self._wrong(played, format)
        nobody = any(pointer.endswith("/role") for pointer in sent.unsaid)
        few = any(one.unsaid == "/seats" and one.code == "table_size" for one in found)
        if nobody or few:
            found += self.table.overfull(played)
        missing: set[Fact] = {"roles"} if nobody or few else set()
        if sent.lacks("/outcome"):
            missing.add("outcome")
        waiting = () if game.cancelled else [(at, rule) for at, rule in self.game_rules if rule.needs & missing]
        rules = self._by_method.without([rule for _, rule in waiting])
        left = () if game.cancelled else [(at, rule.remaining(played)) for at, rule in rules.remaining]
        return Judged(
            breakdown=Breakdown(self.key, rules, played),
            violations=[one for one in found if one.unsaid is None and not sent.lacks(one.pointer)],
            incomplete=in_order([*sent.unsaid, *(one.unsaid for one in found if one.unsaid is not None)]),
            later=tuple(Waiting(at, rule.kind, tuple(sorted(rule.needs & missing))) for at, rule in waiting),
            remaining=tuple((at, what) for at, what in left if what is not None),
        )

    def rank(self, tallies: Tallies, format: Format, order: str | None = None, lots: Sequence[Lot] = ()) -> Standings:
        """The table that the games in ``tallies`` make; see :func:`app.scoring.ranking.rank`."""
        return rank(self.rankings[format], tallies, format, order, lots)

    def explain(self, tallies: Tallies, format: Format, player: Hashable) -> list[ExplainedColumn]:
        """How a player, a key of ``tallies``, gets each value of the row; see :mod:`app.scoring.explanation`."""
        return list(explain(self.rankings[format], tallies, format, player))

    def _wrong(self, played: Played, format: Format | None) -> list[Violation]:
        wrong = self._forbidden(played, format)
        if self._by_method.contradictions:
            wrong += self._contradictions(played, {found.pointer.split("/")[1] for found in wrong})
        return wrong

    def _contradictions(self, played: Played, fields: Container[str]) -> list[Violation]:
        """Contradictions within fields in which nothing is forbidden: of others nobody knows what they should say."""
        if played.game.cancelled:
            return []
        return [
            found._replace(clause=number)
            for number, rule in self._by_method.contradictions
            for found in rule.contradictions(played)
            if found.pointer.split("/")[1] not in fields
        ]

    def _forbidden(self, played: Played, format: Format | None) -> list[Violation]:
        found = self.table.violations(played)
        found += self._fields_without_meaning(played)
        stage = played.game.stage
        if format == "tournament" and stage is None:
            found.append(Violation("stage_required", "/stage", _STAGE_REQUIRED, unsaid="/stage"))
        elif format == "season" and stage is not None:
            found.append(Violation("stage_not_allowed", "/stage", _STAGE_NOT_ALLOWED, actual=stage))
        if played.game.cancelled:
            return found
        if "first_kill" not in self.reads:
            found += seats_named(played)
        if played.game.night_actions and "night_actions" in self.reads and not self._records_nights:
            found += night_seats(played)
        for number, rule in self._by_method.violations:
            for violation in rule.violations(played):
                found.append(violation._replace(clause=number))
        return _told_once(found) if found else found

    def played(self, game: Game) -> Played:
        """The game with what every rule asks about it."""
        return Played(game, self.table.team_of, self.table.role_names)

    def _fields_without_meaning(self, played: Played) -> Iterator[Violation]:
        for pointer, field in (*self._of_game_unread(played), *self._of_seats_unread(played)):
            yield Violation("field_not_used_here", pointer, _NOT_USED, (FIELDS[field],))

    @cached_property
    def _records_nights(self) -> bool:
        return self._the(NightRecord) is not None

    def _of_game_unread(self, played: Played) -> list[tuple[str, str]]:
        reads, game = self.reads, played.game
        pointers = []
        if game.ppk and "ppk" not in reads:
            pointers.append(("/ppk", "ppk"))
        if game.night_actions and "night_actions" not in reads:
            pointers.append(("/night_actions", "night_actions"))
        if game.draw_makers is not None and "draw_makers" not in reads:
            pointers.append(("/draw_makers", "draw_makers"))
        for name in ("team_marks", "votes", "protocols"):
            if name not in reads and getattr(game, name):
                pointers.append((f"/{name}", name))
        return pointers

    def _of_seats_unread(self, played: Played) -> list[tuple[str, str]]:
        reads = self.reads
        pointers = []
        if "marks" not in reads:
            pointers += [(f"/seats/{i}/marks", "marks") for i in played.marked]
        if "exit" not in reads:
            pointers += [(f"/seats/{i}/exit", "exit") for i in played.exited]
        if "bonus" not in reads:
            pointers += [(f"/seats/{i}/bonus", "bonus") for i in played.bonused]
        if "penalties" not in reads:
            pointers += [(f"/seats/{i}/penalties", "penalties") for i in played.penalized]
        for i in played.foreign:
            if "days_lived" not in reads and played.seats[i].days_lived is not None:
                pointers.append((f"/seats/{i}/days_lived", "days_lived"))
            if "registered" not in reads and played.seats[i].registered is not None:
                pointers.append((f"/seats/{i}/registered", "registered"))
            removed = played.seats[i].removed
            if "removed.reason" not in reads and removed is not None and removed.reason is not None:
                pointers.append((f"/seats/{i}/removed/reason", "removed.reason"))
        return pointers

    def _rules(self) -> Iterator[tuple[str, Rule]]:
        for clause in self.clauses:
            for rule in clause.rules:
                yield clause.number, rule

    def _ranking(self, format: Format) -> Ranking:
        settlers = [(number, rule) for number, rule in self._rules() if isinstance(rule, SeasonRule)]
        tallied = tally_names(self.table.roles, self._by_method.codes)
        columns = []
        asked: list[str] = []
        for number, rule in self._rules():
            if isinstance(rule, Columns) and rule.format in (None, format):
                for column in rule.columns:
                    columns.append((number, column, Formula(column.formula)))
                    asked += columns[-1][2].names
        orders = self._the(Order)
        breakers = self._the(TieBreakers)
        tie_breakers = [Formula(text) for text in (breakers.by if breakers else ())]
        asked += [name for formula in tie_breakers for name in formula.names]
        awards = tuple((number, rule) for number, rule in self._rules() if isinstance(rule, Award))
        publication = self._the(Publication)
        asks: dict[str, Ask] = {name: tallied[name] for name in asked if name in tallied}
        return Ranking(
            columns=tuple(columns),
            asks=asks,
            settlers=tuple(settlers),
            orders=orders.by if orders else ("points",),
            tie_breakers=tuple(tie_breakers),
            lot=breakers is not None and breakers.lot,
            published_from=publication.games if publication else 0,
            awards=awards,
        )

    def _the(self, kind: type[_R]) -> _R | None:
        """The one rule of a kind that a system has at most once."""
        return next((rule for _, rule in self._rules() if isinstance(rule, kind)), None)


def _told_once(found: list[Violation]) -> list[Violation]:
    """Without what a second rule of a kind says again."""
    told: list[Violation] = []
    kept = []
    for violation in found:
        said = violation._replace(clause=None)
        if said not in told:
            told.append(said)
            kept.append(violation)
    return kept
