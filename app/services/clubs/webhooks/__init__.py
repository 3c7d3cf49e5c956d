"""Webhooks of a club (docs/live.md#webhooks).

- ``settings``: creating, changing and deleting them, and their secrets;
- ``event_types``: which changes of the journal are told, and what is told of each;
- ``outbox``: events from the journal, in the order of a season's revisions;
- ``deliveries``: what is due, and what becomes of an attempt; ``deliverer``: making attempts, one task a process;
- ``sending``: one request, to an address that was checked (``addresses``), signed (``signature``).
"""
