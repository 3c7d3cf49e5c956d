"""Scores games of Mafia under club regulations and says which clause gave which point."""
