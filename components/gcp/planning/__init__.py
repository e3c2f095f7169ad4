"""The plan of a cluster on Google Cloud, as plain values."""
