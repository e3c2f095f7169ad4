"""Read-only clients of three clouds by their own SDKs, and what their refusals mean, for every command that asks."""
