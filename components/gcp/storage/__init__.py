"""Buckets, file systems, volumes and the registry on Google Cloud."""
