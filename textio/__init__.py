"""Text of others: what users write in YAML, and what reaches their terminal."""
