"""Games, breakdowns and approvals on the wire."""
