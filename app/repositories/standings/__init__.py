"""What tables are read by: states of seasons, lots, the shared cache."""
