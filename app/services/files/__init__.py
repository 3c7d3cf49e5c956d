"""Imports and exports of games."""
