"""Acceptance of a running cluster: measurements from its logs, promises, and verdicts. Imports no Pulumi."""
