"""Pulumi components that turn one cluster spec into equivalent H100 training clusters."""
