"""Pools of the cloud's own autoscaler. Its code is not available, so they get no machine here."""

from __future__ import annotations

from collections.abc import Sequence

from gpucluster.sandbox.clouds.kubernetes.objects import name_of
from gpucluster.sandbox.clouds.ledger import Entry
from gpucluster.sandbox.live.nodes.devices import objects_of
from gpucluster.sandbox.live.nodes.fleet import pools_of


def never_grown(entries: Sequence[Entry], cluster: Entry, scope: str) -> list[str]:
    """Names of those without a machine, each in the form that jobs use. scope: of the cluster's objects in the ledger.

    Includes GKE's compute classes, for which GKE creates node pools itself.
    """
    grown = (pool for pool in pools_of(entries, cluster) if pool.scaled and not pool.size)
    classes = map(name_of, objects_of(entries, scope, "ComputeClass"))
    return sorted({*(pool.labels.get("gpucluster/pool", pool.key) for pool in grown), *classes})
