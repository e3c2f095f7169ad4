"""Leftovers of a destroyed stack in an account: `gpucluster leftovers`."""
