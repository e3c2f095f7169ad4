"""The nodes of a live cluster: one for each machine of the resources in the ledger."""
