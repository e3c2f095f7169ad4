"""What a destroyed stack left in an account: `gpucluster leftovers`."""
