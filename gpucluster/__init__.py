"""Equivalent H100 training clusters on AWS, Google Cloud and Azure, with their cost in the preview."""
