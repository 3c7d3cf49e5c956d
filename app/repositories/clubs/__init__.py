"""Clubs, keys, players and merges."""
