"""The way from a stack that stands to a shell that reaches its cluster: `gpucluster connect`."""
