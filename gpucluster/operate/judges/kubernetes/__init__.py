"""Kubernetes' published schemas, as packaged in kubernetes-validate, and the definitions of custom kinds."""
