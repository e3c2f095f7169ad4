"""What stands inside every cluster, whichever cloud carries it."""
