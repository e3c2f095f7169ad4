"""The end of trials: `gpucluster reap`."""
