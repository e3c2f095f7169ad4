"""The modelled types, one module per area; importing them registers them."""
