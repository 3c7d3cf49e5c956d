"""Games, their versions, approvals and ledger."""
