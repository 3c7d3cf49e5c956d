"""XLSX files read with the standard library, within limits (decision 0007).

- ``package``: the zip archive and the XML in it
- ``workbook``: sheets, shared texts and styles; ``worksheet``: one sheet's cells as text
- ``games``: the games of a workbook
"""
