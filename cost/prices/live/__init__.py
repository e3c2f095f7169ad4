"""Reads prices from the clouds' own price lists and puts them into the book, row by row.

A query (`aws.csv`, `azure.csv`, `gcp.csv`, `google_machines.csv`) says which offer of a live list a row of the book is.
Exactly one offer must match, in a unit that is known here and at a price above zero: whatever else comes is doubted,
named and not taken.
"""

from __future__ import annotations
