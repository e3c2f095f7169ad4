"""Node pools on Google Cloud."""
