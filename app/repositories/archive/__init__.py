"""The rows of a season archive."""
