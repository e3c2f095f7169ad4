"""Reads prices from the clouds' own price lists and writes them into the book, row by row.

A query (`aws.csv`, `azure.csv`, `gcp.csv`, `google_machines.csv`) maps a row of the book to an offer of a live list.
Exactly one offer must match, in a known unit and at a price above zero: any other result is reported as doubtful and
not used.

Not by the SDKs of the clouds: boto3 (an extra here) needs credentials, unlike the bulk files; google-cloud-billing
would replace 13 lines of paging by gRPC and its packages; Azure has no SDK for its retail prices. At most 100 lines go.
"""

from __future__ import annotations
