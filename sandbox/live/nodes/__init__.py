"""The nodes of a living cluster: one for each machine that the resources in the ledger stand for."""
