"""A cluster without GPU nodes for a while: `gpucluster pause` and `gpucluster resume`."""
