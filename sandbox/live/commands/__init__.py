"""Commands that let things happen in a living cluster."""
