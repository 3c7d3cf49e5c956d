"""Clubs, their keys and their players."""
