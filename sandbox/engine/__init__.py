"""Finds, downloads or builds a Pulumi engine, and starts the Python language host beside it."""
