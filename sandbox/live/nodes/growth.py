"""Pools that the cloud's own autoscaler would grow. Its code can't be had, so that no machine comes for them here."""

from __future__ import annotations

from collections.abc import Sequence

from gpucluster.sandbox.clouds.kubernetes.objects import name_of
from gpucluster.sandbox.clouds.ledger import Entry
from gpucluster.sandbox.live.nodes.devices import objects_of
from gpucluster.sandbox.live.nodes.fleet import pools_of


def never_grown(entries: Sequence[Entry], cluster: Entry, scope: str) -> list[str]:
    """Names of those that have no machine, each as jobs call it. scope: that of the cluster's objects in the ledger.

    A class of GKE's is one, for which GKE makes node pools itself.
    """
    grown = (pool for pool in pools_of(entries, cluster) if pool.scaled and not pool.size)
    classes = map(name_of, objects_of(entries, scope, "ComputeClass"))
    return sorted({*(pool.labels.get("gpucluster/pool", pool.key) for pool in grown), *classes})
