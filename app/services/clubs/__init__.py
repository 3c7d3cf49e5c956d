"""Clubs, their keys and their players.

clubs: create and change a club; its time zone and its date. keys: create, list and revoke a club's keys. new_key: draw
a secret and store its hash. admin_key: the admin key at the first start. players: create, rename, register and find
players by nickname. player_merging: two players who are one person. likely_duplicates: players who may be one person.
"""
