"""The simulated clouds on disk."""
