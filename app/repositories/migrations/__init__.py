"""The steps that brought the tables to what they are, oldest first by file name."""
