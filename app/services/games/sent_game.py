"""A game as the judge sent it, before its rules are applied: its names and facts, read once."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from app.repositories.seasons.seasons import Season
from app.scoring.game import Game
from app.scoring.nickname import folded
from app.scoring.rule_system import RuleSystem
from app.scoring.rules.table_rules import Registration
from app.scoring.systems import find_system
from app.services.games.fingerprint import Fingerprint, fingerprint


class SentGame(NamedTuple):
    """A game, its canonical facts and their fingerprint; lists run along its seats."""

    system: RuleSystem
    """The season's."""
    game: Game
    names: Sequence[str]
    """The nicknames, folded."""
    called_registered: Sequence[bool] | None
    """Whether the judge called each player registered; None where the regulation does not ask."""
    facts: dict[str, Any]
    """Canonical; not to be changed."""
    fingerprint: Fingerprint
    """Its day is empty where the judge wrote none."""
    rated: Collection[str] = ()
    """Nicknames, folded, of players who stay rated whatever the club's register says (a correction)."""

    def under(self, external_id: str | None) -> "SentGame":
        """The same game with another external id, or with none; the fingerprint does not look at it."""
        facts = {name: value for name, value in self.facts.items() if name != "external_id"}
        if external_id is not None:
            facts = {"external_id": external_id, **facts}
        return self._replace(game=self.game.model_copy(update={"external_id": external_id}), facts=facts)


def rules_of(season: Season) -> RuleSystem:
    """The rule system that the season follows."""
    return find_system(season.rule_system, season.rule_version)


def sent_game(season: Season, game: Game) -> SentGame:
    """The game as the rules of its season read it."""
    system = rules_of(season)
    rule = registration_rule(system)
    called = None
    if rule is not None:
        called = [rule.default if seat.registered is None else seat.registered for seat in game.seats]
    unregistered = [seat.seat for seat, yes in zip(game.seats, called or (), strict=False) if not yes]
    names = [folded(seat.player) for seat in game.seats]
    facts = game.canonical()
    return SentGame(system, game, names, called, facts, fingerprint(facts, unregistered))


def registration_rule(system: RuleSystem) -> Registration | None:
    """The rule by which only registered players count; None: everybody counts."""
    return next((rule for _, rule in system.game_rules if isinstance(rule, Registration)), None)
