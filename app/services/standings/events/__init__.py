"""Events of a season for whoever follows it (docs/live.md).

``season_events``: what happened after a revision, read from the journal and the versions of games.
``live_seasons``: who follows which season in this process, and what they are told.
"""
