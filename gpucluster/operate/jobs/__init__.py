"""The jobs of a cluster: their state, their place in the queue, and their cost so far."""
