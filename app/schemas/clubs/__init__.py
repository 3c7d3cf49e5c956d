"""Clubs, keys and players on the wire."""
