"""Kubernetes: labels of objects and of the machines Karpenter starts."""
