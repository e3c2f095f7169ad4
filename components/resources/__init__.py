"""Resources of a program: labels, failures, replaced nodes, skipped targets."""
