"""A live cluster: the real controllers next to a stack's real API server, on nodes that kwok simulates."""
