"""Slurm in the cluster, by Slinky: nodes, configuration, objects."""
