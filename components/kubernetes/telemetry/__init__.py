"""What is watched in a standing cluster: metrics, alerts and dashboards, the same on every cloud. Imports no Pulumi."""
