"""Verdicts: one kind of measurement per module."""
