"""Versions in use, what is newer, and the way to it."""
