"""Clubs, keys and players.

clubs: clubs and their locks. keys: keys by prefix, id or club. players: players, their nicknames, and survivors of
merged players. merges: move a player's nicknames, seats and ledger entries to the survivor.
"""
