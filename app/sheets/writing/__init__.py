"""From games to rows of cells, and empty templates."""
