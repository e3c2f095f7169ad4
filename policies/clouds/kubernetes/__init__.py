"""Kubernetes: labels of objects and of machines that Karpenter starts."""
