"""Import reports, exports and archives on the wire."""
