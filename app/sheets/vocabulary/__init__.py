"""The words of sheets, in English, Russian and Ukrainian.

- ``columns``: a column for each fact of a game, its names and its reader
- ``cells``, ``dates``: readers of one cell's text
- ``words``: words for roles, outcomes, stages and penalties
"""
