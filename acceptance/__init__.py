"""Acceptance of a standing cluster: what its logs measured, what was promised, and what passes. Imports no Pulumi."""
