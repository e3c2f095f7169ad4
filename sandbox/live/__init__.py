"""A cluster that lives: the real controllers beside a stack's real API server, on nodes that kwok answers for."""
