"""Address ranges and private routes, as plain values."""
