"""The words of sheets: columns, cells, dates."""
