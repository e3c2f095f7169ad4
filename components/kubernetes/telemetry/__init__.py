"""Metrics, alerts and dashboards of a running cluster, the same on every cloud. Imports no Pulumi."""
