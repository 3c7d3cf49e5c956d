"""Seasons and tournaments.

seasons: create, list and change them. rule_change: rescore every game under other rules, or preview that. what_if: the
table under another regulation. closing: close with frozen tables, reopen, and check what is frozen. cup_entries: who
entered a cup, and with which awards.
"""
