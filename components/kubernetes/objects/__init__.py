"""Kubernetes objects from manifests and charts."""
