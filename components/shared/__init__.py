"""Parts that clusters have on every cloud, as plain values."""
