"""Commands that let things happen in a live cluster."""
