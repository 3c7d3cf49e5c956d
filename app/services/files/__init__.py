"""Games in and out of a season as files.

- ``importing``: a file on its way in, a batch at a time or all in one transaction, and when sums are stored;
- ``import_batch``: the games of one batch. Each walks through ``sent_game``, ``resubmission``, ``likeness``,
  ``checked_game`` and ``versions`` of :mod:`app.services.games`, as if it were submitted alone; what they all need is
  read once, and new games are written together;
- ``import_step``: what is to be done about one of them;
- ``suggestions``: whom nicknames may mean that mean nobody;
- ``new_players``: who is created on the way;
- ``exporting``: the facts of every game that is not voided, as an import accepts them.
"""
