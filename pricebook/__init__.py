"""Converts tables of public price facts to rows of the price book: `python -m pricebook FACTS...`; see README.md."""
