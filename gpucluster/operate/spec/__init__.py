"""Commands on a spec."""
