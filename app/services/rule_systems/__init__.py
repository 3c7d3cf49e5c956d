"""Proving a regulation that somebody sends.

``reading``: a document becomes a rule system, or every fault of it is told. ``bounds``: how large one may be.
``cases``: worked games and tables beside what the system gives for them.
"""
