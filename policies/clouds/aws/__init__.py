"""AWS: fabric of the machine types, node groups, tags."""
