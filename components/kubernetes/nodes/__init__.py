"""Devices, fabric libraries and new nodes."""
