"""Time that the toolkit adds, printed as ratios within one run."""
