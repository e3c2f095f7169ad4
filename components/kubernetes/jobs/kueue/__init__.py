"""Kueue, and the queues of the pools."""
