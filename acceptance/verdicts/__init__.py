"""What passes: one kind of measurement a module."""
