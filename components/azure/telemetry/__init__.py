"""Telemetry."""
