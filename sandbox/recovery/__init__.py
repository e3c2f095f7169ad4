"""Brings Pulumi's state and the simulated clouds together again after a crash."""
