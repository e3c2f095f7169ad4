"""The report of an estimate."""
