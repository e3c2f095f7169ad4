"""The fabric between the GPUs of nodes on Google Cloud."""
