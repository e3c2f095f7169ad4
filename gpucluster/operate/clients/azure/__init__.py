"""Azure by Microsoft's own SDK."""
