"""Tables of seasons, and of games that are sent along.

- ``table_query``: which table is requested;
- ``standings``: the table now, at a revision or as of a day, and each line of a player's row;
- ``cache``: what a process holds in memory so that a table is not read and added up again;
- ``frozen_tables``: the tables of a closed season as JSON;
- ``lots``: lots for ties; ``awards``: who has an award, and what others lack for it;
- ``events``: who follows a season in this process, and what they are told;
- ``csv_file``, ``workbook`` (with ``workbook_lines``): a table as a file;
- ``stateless``: the table of games that are not stored.

No game is scored here: ledger entries are added up to tallies, and :mod:`app.scoring.ranking` ranks them.
"""
