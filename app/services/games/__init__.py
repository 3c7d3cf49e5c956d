"""Games of a season: checked, stored, corrected, approved; their versions and ledger entries."""
