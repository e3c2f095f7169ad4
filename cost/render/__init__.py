"""Forms that a document is written in."""
