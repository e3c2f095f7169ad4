"""The forms of a report."""
