"""Buckets and file systems, as plain values."""
