"""Seasons: settings, closing and reopening, cup entries."""
