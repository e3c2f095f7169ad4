"""Kubernetes' published schemas, as kubernetes-validate has them, and the definitions of custom kinds."""
