"""What GitHub is asked and told: which pull request a run belongs to, its files, and the one comment on it."""
