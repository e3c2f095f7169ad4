"""Readers: each turns one form of a stack into `program.resources.Resources`."""
