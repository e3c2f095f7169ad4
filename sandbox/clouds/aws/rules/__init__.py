"""The refusals of the real APIs, one module per area; importing the modules registers them."""
