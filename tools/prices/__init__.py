"""Converts tables of public price facts to rows of the price book: `python -m tools.prices FACTS...`; see README.md."""
