"""Logs, metrics and alerts on AWS."""
