"""Stacks side by side."""
