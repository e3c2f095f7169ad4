"""Requests to GitHub: the pull request of a run, its files, and the one comment on it."""
