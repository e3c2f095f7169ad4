"""Reconciliation."""
