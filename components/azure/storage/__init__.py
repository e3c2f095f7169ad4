"""Buckets, file systems, volumes and the registry on Azure."""
