"""What every endpoint needs of HTTP and the framework does not give.

The framework's own reading of bodies accepts repeated keys, answers 500 to NaN and echoes what it read; its rendering
passes numbers through floats. So bodies, queries, numbers and languages have a room of their own, below
:mod:`app.problems` (which words its errors) and above nothing but the core.
"""
