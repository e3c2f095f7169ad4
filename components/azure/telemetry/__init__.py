"""Logs, metrics and alerts on Azure."""
