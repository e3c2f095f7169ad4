"""Commands that cause events in a live cluster."""
