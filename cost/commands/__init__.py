"""The commands of `gpucluster cost`, one a module."""
