"""Seasons, rule changes and cup entries."""
