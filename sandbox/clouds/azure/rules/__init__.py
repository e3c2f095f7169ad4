"""The refusals of the provider and ARM, one module per area; importing the modules registers them."""
