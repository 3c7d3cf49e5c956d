"""Everything that is derived, worked out anew from the facts and compared with what is kept."""

from app.services.audit.differences import Difference
from app.services.audit.whole import audit, audit_season

__all__ = ["Difference", "audit", "audit_season"]
