"""The required machines of a cluster, compared with the existing nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.catalog.clouds import cloud_of_package, module_of
from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.clouds.kubernetes.objects import name_of
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.live.nodes.manifest import ORDINAL, POOL, node
from gpucluster.sandbox.live.nodes.pool import Pool, objects_of


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """The changes that update nodes to machines: objects to create, names to delete. left_out: why a pool has none.
    last: of each pool, the highest number of a machine.
    """

    made: Sequence[Mapping[str, Any]]
    gone: Sequence[str]
    left_out: Sequence[str]
    last: Mapping[str, int]


def pools_of(entries: Sequence[Entry], cluster: Entry, *, more: Sequence[Mapping[str, str]] = ()) -> list[Pool]:
    """The pools of a cluster that have machines; none for a cloud whose nodes are not simulated. more: taints beside
    those of the pool, which keep device plugins away that do not tolerate them.
    """
    cloud = cloud_of_package(cluster.provider)
    module = module_of(f"gpucluster.sandbox.live.nodes.{cloud.name}") if cloud is not None else None
    return [*module.pools(entries, cluster, more)] if module is not None else []


def manifests(entries: Sequence[Entry], cluster: Entry) -> list[dict[str, Any]]:
    """A Node for each machine of a cluster, in its initial state. entries: all of the ledger."""
    return [dict(made) for made in fleet(entries, cluster, []).made]


def fleet(
    entries: Sequence[Entry],
    cluster: Entry,
    nodes: Sequence[Mapping[str, Any]],
    *,
    last: Mapping[str, int] | None = None,
) -> Fleet:
    """nodes: the existing ones; those of no pool, such as Karpenter's, are unchanged. last: of pools that already had
    machines, the highest number of one.

    As clouds do: a pool that is too small gets new machines, one that is too large loses its newest ones.
    """
    there: dict[str, dict[int, str]] = {}
    for found in nodes:
        metadata = mapping(found.get("metadata"))
        annotations = mapping(metadata.get("annotations"))
        if POOL in annotations:
            there.setdefault(str(annotations[POOL]), {})[int(annotations[ORDINAL])] = str(metadata.get("name"))
    made: list[Mapping[str, Any]] = []
    left_out: list[str] = []
    highest = dict(last or {})
    for pool in pools_of(entries, cluster):
        kept = there.pop(pool.key, {})
        if pool.machine is None and pool.size:
            left_out.append(f"{pool.key}: no machine {pool.machine_type or 'type'} is in the catalog")
        elif pool.machine is not None:
            first = max(highest.get(pool.key, -1), *kept, -1) + 1
            numbers = range(first, first + max(0, pool.size - len(kept)))
            made += [node(pool, pool.machine, number) for number in numbers]
            highest[pool.key] = numbers[-1] if numbers else first - 1
            there[pool.key] = {number: kept[number] for number in sorted(kept)[pool.size :]}
    gone = [name for names in there.values() for name in names.values()]
    return Fleet(made=made, gone=gone, left_out=left_out, last=highest)


def never_grown(entries: Sequence[Entry], cluster: Entry, scope: str) -> list[str]:
    """Names of those without a machine, each in the form that jobs use. scope: of the cluster's objects in the ledger.

    Includes GKE's compute classes, for which GKE creates node pools itself.
    """
    grown = (pool for pool in pools_of(entries, cluster) if pool.scaled and not pool.size)
    classes = map(name_of, objects_of(entries, scope, "ComputeClass"))
    return sorted({*(pool.labels.get("gpucluster/pool", pool.key) for pool in grown), *classes})


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
