"""What jobs need of a cluster: teams, a registry, logs."""
