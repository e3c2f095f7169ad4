"""The fabric between the GPUs of nodes on Azure."""
