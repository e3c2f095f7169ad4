"""The nodes of a live cluster: one for each machine that the resources in the ledger stand for."""
