"""A document in every format."""
