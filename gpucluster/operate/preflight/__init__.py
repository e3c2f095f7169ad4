"""`gpucluster preflight`: asks an account, read-only, what a plan needs before `up`."""
