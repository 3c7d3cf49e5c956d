"""Imports, exports and archives."""
