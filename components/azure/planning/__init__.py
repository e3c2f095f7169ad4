"""The plan of a cluster on Azure, as plain values."""
