"""The plan of a cluster on AWS, as plain values."""
