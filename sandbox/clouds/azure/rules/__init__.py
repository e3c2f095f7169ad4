"""What the provider and ARM refuse, one module per area; importing them registers them."""
