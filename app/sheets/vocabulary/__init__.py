"""The words of sheets, in English, Russian and Ukrainian.

- ``columns``: a column for each fact of a game, its names and its reader
- ``cells``, ``dates``: readers of one cell's text
- ``calendar``: whose day a moment belongs to, and what serial numbers of days count from
- ``words``: words for roles, outcomes, stages and penalties
"""
