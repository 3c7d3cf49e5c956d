"""Use cases: one function each, in the words of the core; nothing of HTTP."""
