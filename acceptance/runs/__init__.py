"""What runs on the cluster to measure it, and how it is started and collected."""
