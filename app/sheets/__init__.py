"""Files of games: NDJSON, CSV and XLSX, read as they arrive, written row by row. Knows no web and no storage."""

from app.sheets.csv_rows import read_csv, write_csv
from app.sheets.ndjson import read_ndjson, write_ndjson
from app.sheets.read_game import ReadGame, UnreadableFile
from app.sheets.template import csv_template, xlsx_template
from app.sheets.written import neutral
from app.sheets.xlsx import read_xlsx, write_xlsx

__all__ = [
    "ReadGame",
    "UnreadableFile",
    "csv_template",
    "neutral",
    "read_csv",
    "read_ndjson",
    "read_xlsx",
    "write_csv",
    "write_ndjson",
    "write_xlsx",
    "xlsx_template",
]
