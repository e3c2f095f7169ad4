"""Turns tables of public price facts into rows of the price book: `python -m pricebook FACTS...`; README.md here."""
