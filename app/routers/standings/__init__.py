"""Tables of a season, awards and lots."""
