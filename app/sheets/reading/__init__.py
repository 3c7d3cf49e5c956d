"""From rows of cells to games."""
