"""Logs, metrics and alerts on Google Cloud."""
