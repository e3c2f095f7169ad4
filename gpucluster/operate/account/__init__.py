"""Commands that use the cloud account of an existing stack, through the clouds' own command lines."""
