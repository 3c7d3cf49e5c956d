"""Files of games: NDJSON, CSV and XLSX, read as they arrive, written row by row. Knows no web and no database.

- ``vocabulary``: the words of columns and cells
- ``reading``: from rows to games
- ``writing``: from games to rows, and templates
- ``xlsx``: workbooks as rows
"""

from app.sheets.reading.csv_games import read_csv
from app.sheets.reading.ndjson_games import read_ndjson
from app.sheets.reading.read_game import ReadGame
from app.sheets.vocabulary.calendar import DayOf, day_here
from app.sheets.writing.csv_games import write_csv
from app.sheets.writing.ndjson_games import write_ndjson
from app.sheets.writing.rows import neutral
from app.sheets.writing.template import csv_template, xlsx_template
from app.sheets.writing.xlsx_games import write_xlsx
from app.sheets.xlsx.games import read_xlsx

__all__ = [
    "DayOf",
    "ReadGame",
    "csv_template",
    "day_here",
    "neutral",
    "read_csv",
    "read_ndjson",
    "read_xlsx",
    "write_csv",
    "write_ndjson",
    "write_xlsx",
    "xlsx_template",
]
