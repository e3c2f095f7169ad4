"""Cost limits of a stack, of label values and of pools, and whether an estimate is within them."""
