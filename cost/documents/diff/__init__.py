"""Two plans."""
