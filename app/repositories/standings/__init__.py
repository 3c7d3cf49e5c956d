"""What tables need beside the ledger.

lots: lots drawn for tied players. shared_cache: ready answers in Redis.
"""
