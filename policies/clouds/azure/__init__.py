"""Azure: VM sizes, AKS node pools and their scale sets, tags."""
