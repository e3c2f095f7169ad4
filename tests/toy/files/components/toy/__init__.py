"""The toy cloud, as a cluster is planned for it."""
