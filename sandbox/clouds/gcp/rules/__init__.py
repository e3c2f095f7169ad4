"""The refusals of the provider and the real APIs, one module per area; importing the modules registers them."""
