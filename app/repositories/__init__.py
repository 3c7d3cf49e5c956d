"""Every SQL statement of the service; the rooms above speak of clubs, games and ledgers, never of tables.

tables: the columns. database: connections and transactions. clubs, games, seasons, standings: the rows of each subject.
schema: migrations. journal: who changed what. idempotency: stored responses. audits: rows that only an audit reads.
archive: a season's rows for its archive. backups: copies of an SQLite database.
"""
