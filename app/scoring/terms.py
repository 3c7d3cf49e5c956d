"""The field's values: one name for each closed list of words that games, rules and tables are made of."""

from typing import Final, Literal, TypeAlias, get_args

Team: TypeAlias = Literal["red", "black", "maniac"]
"""Whom a role plays for; the maniac is alone."""

Outcome: TypeAlias = Literal["red", "black", "maniac", "draw"]
"""How a game ended: the team that won, or nobody."""

Result: TypeAlias = Literal["won", "lost", "draw"]
"""How a game ended for one player."""

Condition: TypeAlias = Literal["always", "won", "lost", "draw"]
"""The results at which a rule gives points."""

Format: TypeAlias = Literal["season", "tournament"]

Stage: TypeAlias = Literal["qualifying", "semifinal", "final"]
"""The part of a tournament that a game is played in."""

Status: TypeAlias = Literal["counted", "pending", "unrated", "cancelled"]
"""Whether a game counts; a friendly game is unrated."""

Category: TypeAlias = Literal["main", "extra"]
"""The two sums that the points of games go to."""

SeasonCategory: TypeAlias = Literal["main", "extra", "rating"]
"""Where points of a whole season go to."""

Decider: TypeAlias = Literal["chief_judge", "president"]
"""The role whose consent some points need; a president may decide what is left to the chief judge too."""

When: TypeAlias = Literal["lost", "always"]
"""The results at which something is penalized."""

ExitWay: TypeAlias = Literal["voted", "killed", "removed", "surrendered"]
"""How a player left the table before the end."""

FORMATS: Final[tuple[Format, ...]] = get_args(Format)
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)
