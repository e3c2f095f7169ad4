"""Commands that use the cloud account of an existing stack."""
