"""What the provider and the real APIs refuse, one module per area; importing them registers them."""
