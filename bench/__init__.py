"""How fast the service is, as ratios: what is compared is measured side by side, round after round, in one run."""
