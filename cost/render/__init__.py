"""Output formats of a document."""
