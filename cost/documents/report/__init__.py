"""The cost of a plan or state."""
