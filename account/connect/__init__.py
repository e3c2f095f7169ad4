"""Connects a shell to the cluster of an existing stack: `gpucluster connect`."""
