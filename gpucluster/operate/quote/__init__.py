"""Whole clusters for a question without a spec: every place, machine and purchase option, priced as in a preview."""
