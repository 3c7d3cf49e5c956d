"""Seasons: their rules, what was frozen of them, lots, and who entered."""

from sqlalchemy import BigInteger, Boolean, Column, Date, ForeignKey, Integer, Table, Text, UniqueConstraint

from app.repositories.tables.base import Instant, Serial, metadata

SEASONS = Table(
    "seasons",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("club_id", BigInteger, ForeignKey("clubs.id"), nullable=False),
    Column("slug", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("rule_system", Text, nullable=False),
    Column("rule_version", Integer, nullable=False),
    Column("format", Text, nullable=False),
    Column("starts_on", Date),
    Column("ends_on", Date),
    Column("public", Boolean, nullable=False),
    # Rises by one with every committed change that can alter an answer about the season.
    Column("revision", BigInteger, nullable=False),
    Column("closed_at", Instant),
    Column("created_at", Instant, nullable=False),
    # Whose awards hold at this one's registration.
    Column("awards_from", BigInteger, ForeignKey("seasons.id")),
    # Random, of the revision: tells two histories apart that count the same revisions.
    Column("change_token", BigInteger),
    # Games of this stage or day, and later ones, are shown to the club alone; at most one of both is set.
    Column("hidden_stage", Text),
    Column("hidden_day", Date),
    # The revision up to which the traits of its games are written; a service without traits writes none.
    Column("traits_at", BigInteger, nullable=False, server_default="0"),
    UniqueConstraint("club_id", "slug"),
)
"""A club's season or tournament, pinned to one version of a rule system."""

SEASON_RULES = Table(
    "season_rules",
    metadata,
    Column("season_id", BigInteger, ForeignKey("seasons.id"), primary_key=True),
    Column("revision", BigInteger, primary_key=True),
    Column("rule_system", Text, nullable=False),
    Column("rule_version", Integer, nullable=False),
    sqlite_with_rowid=False,
)
"""From which revision on a season followed which rules; the season's row repeats the last."""

FROZEN_SEASONS = Table(
    "frozen_seasons",
    metadata,
    Column("season_id", BigInteger, ForeignKey("seasons.id"), primary_key=True),
    Column("revision", BigInteger, nullable=False),
    # Standings and awards, JSON.
    Column("tables", Text, nullable=False),
)
"""What a season was when it was closed; apart from it, for the season's row is written with every game."""

LOTS = Table(
    "lots",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("season_id", BigInteger, ForeignKey("seasons.id"), nullable=False),
    # The group: players' public ids in ascending order, JSON.
    Column("tied", Text, nullable=False),
    # The same ids in the order drawn, JSON.
    Column("drawn", Text, nullable=False),
    Column("seed", Text),
    Column("revision", BigInteger, nullable=False),
    Column("key_id", BigInteger, ForeignKey("keys.id"), nullable=False),
    Column("role", Text, nullable=False),
    Column("at", Instant, nullable=False),
    UniqueConstraint("season_id", "tied"),
)
"""Lots drawn once for exactly one group of tied players."""

WITHDRAWN_LOTS = Table(
    "withdrawn_lots",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("season_id", BigInteger, ForeignKey("seasons.id"), nullable=False, index=True),
    # As in ``lots``, where the row was. Without a seed: one that was drawn here is never withdrawn.
    Column("tied", Text, nullable=False),
    Column("drawn", Text, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("key_id", BigInteger, ForeignKey("keys.id"), nullable=False),
    Column("role", Text, nullable=False),
    Column("at", Instant, nullable=False),
    # The revision from which on it does not hold.
    Column("withdrawn_in", BigInteger, nullable=False),
    Column("withdrawn_by", BigInteger, ForeignKey("keys.id"), nullable=False),
    Column("withdrawn_role", Text, nullable=False),
    Column("withdrawn_at", Instant, nullable=False),
    Column("reason", Text, nullable=False),
)
"""Lots that were withdrawn: tables of the revisions before that still follow them."""

CUP_ENTRIES = Table(
    "cup_entries",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("season_id", BigInteger, ForeignKey("seasons.id"), nullable=False),
    # Who entered; he may have been merged since.
    Column("player_id", BigInteger, ForeignKey("players.id"), nullable=False),
    Column("key_id", BigInteger, ForeignKey("keys.id"), nullable=False),
    Column("role", Text, nullable=False),
    Column("at", Instant, nullable=False),
    UniqueConstraint("season_id", "player_id"),
)
"""Who is on a season's or tournament's list of entries."""
