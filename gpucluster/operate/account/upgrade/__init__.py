"""Outdated versions of an existing stack, the end of their support, and the upgrade steps."""
