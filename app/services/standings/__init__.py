"""Tables: of a season and stateless ones, frozen ones, awards, lots, CSV and XLSX."""
