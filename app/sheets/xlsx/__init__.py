"""XLSX files read with the standard library (decision 0007)."""
