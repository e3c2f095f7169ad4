"""Makes the nodes of a running cluster those of its machines."""

from __future__ import annotations

from collections.abc import Sequence

from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.clouds.ledger import Entry
from gpucluster.sandbox.live.nodes.fleet import Fleet, fleet
from gpucluster.sandbox.live.nodes.names import keep_last, last_of


def sync(client: Client, entries: Sequence[Entry], cluster: Entry) -> Fleet:
    """What was done. entries: all of the ledger. Raises ObjectRefused.

    A node that is there stays as it is, whatever has happened to it.
    """
    last = last_of(client)
    change = fleet(entries, cluster, client.list("v1", "Node"), last=last)
    for made in change.made:
        client.create(made)
    for name in change.gone:
        client.delete({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
    if change.last != last:
        keep_last(client, change.last)
    return change
