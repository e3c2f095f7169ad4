"""The spec of a cluster: what a user writes, read and checked."""
