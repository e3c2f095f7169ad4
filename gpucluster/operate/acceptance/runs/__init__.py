"""Measurements on the cluster: their objects, start and logs."""
