"""Keeps jobs off broken GPU nodes: what counts as broken, the program that acts on it, and its objects."""
