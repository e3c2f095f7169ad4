"""The commands `gpucluster sandbox ...`."""
