"""Seasons and tournaments.

seasons: seasons, revisions, rules and frozen tables. season_states: whether what is cached of a season still holds.
rule_change: write the next version of every game at once. cup_entries: lists of entries.
"""
