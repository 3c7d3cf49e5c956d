"""What a process keeps in memory to answer about tables without reading a season again.

``season_state``: a season's row and stamp; written by whoever looks for the season, dies with the next commit.
``tallies``: a season's sums by player; written by whoever builds a table, only ever catches up, dies by its size.
``answers``: bytes under all that they depend on; written by whoever builds them, dies by size or age, never by change.
``scoreboard``: the three together, one of each process.

The fourth station, :mod:`app.web.middleware.ready_answers`, knows which answer a request got: written by the route that
gave it, dies with the season's state.
"""
