"""Seasons: settings, rule changes, what-if, closing and cup entries."""
