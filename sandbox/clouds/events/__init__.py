"""Scenarios, shortages, long operations and lost answers."""
