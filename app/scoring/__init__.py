"""The pure core: regulations, games and what one gives the other. Knows nothing of web and database."""
