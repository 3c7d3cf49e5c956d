"""Use cases: one function each, in the words of the core; nothing of HTTP.

access: roles of keys, and who may do what. errors: what use cases refuse. journal: who changed what, when and why.
storage: the database as routers name it, and tags of stored settings.
clubs, games, seasons, standings, files: one folder for each subject, low to high. audit: derived data compared with the
games. archive: a season as one file. demo: a club to look at.
"""
