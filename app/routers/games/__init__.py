"""Games of a season and the approvals that they need."""
