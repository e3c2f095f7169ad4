"""Reconciles Pulumi's state and the simulated clouds after a crash."""
