"""A real Kubernetes API server on loopback: built from its Go modules, cached, started and stopped."""
