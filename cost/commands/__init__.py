"""The commands of `gpucluster cost`, one per module."""
