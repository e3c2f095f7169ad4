"""Whole clusters for a question without a spec: every place, machine and way to buy, priced as their previews are."""
