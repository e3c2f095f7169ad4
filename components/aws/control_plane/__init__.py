"""Control plane."""
