"""Updates the nodes of a running cluster to its machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.clouds.ledger import Entry
from gpucluster.sandbox.live.nodes.fleet import Fleet, fleet
from gpucluster.sandbox.type_guards import mapping

_KEPT: Final[Mapping[str, Any]] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "sandbox-machines", "namespace": "kube-system"},
}


def _last_of(client: Client) -> dict[str, int]:
    """Pool -> the highest number that any of its machines has had. Raises ObjectRefused."""
    return {pool: int(number) for pool, number in mapping(mapping(client.get(_KEPT)).get("data")).items()}


def _keep_last(client: Client, last: Mapping[str, int]) -> None:
    """Saves these numbers. Raises ObjectRefused."""
    client.apply({**_KEPT, "data": {pool: str(number) for pool, number in last.items()}})


def sync(client: Client, entries: Sequence[Entry], cluster: Entry) -> Fleet:
    """The changes made. entries: all of the ledger. Raises ObjectRefused.

    Existing nodes stay unchanged, in whatever state.
    """
    last = _last_of(client)
    change = fleet(entries, cluster, client.list("v1", "Node"), last=last)
    for made in change.made:
        client.create(made)
    for name in change.gone:
        client.delete({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
    if change.last != last:
        _keep_last(client, change.last)
    return change
