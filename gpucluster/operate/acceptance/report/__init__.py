"""The verdicts as text, JSON and one HTML page."""
