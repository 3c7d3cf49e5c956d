"""From games to the rows of a file, and empty templates.

- ``rows``: games as rows of cells, in one language's words
- ``csv_games``, ``ndjson_games``, ``xlsx_games``: the rows as a file
- ``layout``: header, widths and kinds of cells of a workbook
- ``template``: empty sheets to fill in
"""
