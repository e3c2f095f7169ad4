"""A live cluster: the real controllers with a stack's real API server, on nodes simulated by kwok."""
