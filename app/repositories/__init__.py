"""Every SQL statement of the service; the rooms above speak of clubs, games and ledgers, never of tables."""
