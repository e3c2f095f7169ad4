"""Finds or makes a Pulumi engine, and starts the Python language host beside it."""
