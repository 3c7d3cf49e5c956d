"""Seasons, rule changes, closing and cup entries on the wire."""
