"""Pools of nodes, as plain values."""
