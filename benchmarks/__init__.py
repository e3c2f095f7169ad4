"""What the toolkit costs in time, printed as ratios of one run."""
