"""The simulated toy cloud."""
