"""Data transfer: duration, and the cost of leaving a cloud."""
