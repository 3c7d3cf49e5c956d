"""What a process holds in memory to answer about tables without reading a season again."""
