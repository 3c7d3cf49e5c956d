"""Everything that is derived, computed again from the facts and compared with what is stored.

- ``whole``: every season and club of the database; ``batch``: the games of a season, some at a time;
- ``games``: one game beside its ``versions`` (each scored again) and its ledger rows (``entries``);
- ``people``: who a player was before and after merges; ``lots``: whether each lot could be drawn;
- ``season``: the journal of a season, its rules and its stored sums;
- ``differences``: what is reported.
"""

from app.services.audit.differences import Difference
from app.services.audit.whole import audit, audit_one, audit_season

__all__ = ["Difference", "audit", "audit_one", "audit_season"]
