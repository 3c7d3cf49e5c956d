"""``make soak``: the service among kills, failovers and losses, written to and read from all the while.

``books``: what clients sent, what was acknowledged, what is wrong. ``clients``: who writes and who reads.
``processes``: services, Redis, PgBouncer. ``servers``: a PostgreSQL primary and its standby. ``stages``: what happens
to all of them.
"""
