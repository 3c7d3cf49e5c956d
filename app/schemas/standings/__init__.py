"""Tables, awards and lots on the wire."""
