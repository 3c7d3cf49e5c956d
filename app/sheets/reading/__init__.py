"""From the rows of a file to games.

- ``lines``: bytes as they arrive, in any encoding that is read, to lines
- ``csv_games``, ``ndjson_games``: the games of a CSV or NDJSON file
- ``header``: the row that names the columns
- ``split_games``: which rows make one game; ``evening``: the day and table that are written once for several games
- ``game_from_rows``: one game of its rows; ``marks``: the cells that may speak of a player or of the whole game;
  ``faults``: what is wrong with the cells
- ``drafts``: a game with faulty cells, as far as the regulation can judge it
- ``sheet``: what the games of one sheet share; ``read_sheet``: all games below a header
- ``read_game``: what every reader yields, and where in the file it stands
"""
