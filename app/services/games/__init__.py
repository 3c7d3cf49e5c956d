"""Games of a season: stored, corrected, voided, restored, approved; every version stays.

A game walks through the modules from top to bottom:

- ``submission``: the use case of a new game; ``games``: those of a stored one, and who may do what to which;
- ``sent_game``: the game as the judge sent it: folded nicknames, canonical facts, ``fingerprint`` (of equal facts);
- ``resubmission``: whether the sent game is one that is stored; ``likeness``: which it may be by its traits;
- ``checked_game``: the sent game against the rules, the club's players and the season's days, then with its players;
- ``needed_approvals``: which approvals it needs, and its status;
- ``versions``: the game as a version, with its ``ledger_entries``, approvals, journal record and one revision more;
- ``stored``: the stored game as responses show it; found by id or refused.

Beside the walk: ``history`` shows every version of a game, ``approvals`` lists pending games and decides them.
"""
