"""HTTP words only: path, status, schema, and one call to what does the work."""
