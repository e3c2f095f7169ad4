"""What a program reads of a cluster that it declared: its pools of GPU nodes and its shared storage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pulumi

from gpucluster.components.kubernetes.job_pool import JobPool
from gpucluster.components.names import NAMESPACE, SHARED_CLAIM

__all__ = ["Pool", "SharedStorage", "pools_of"]


@dataclass(frozen=True, kw_only=True)
class Pool:
    """A pool of GPU nodes; they have its name in their label `gpucluster/pool`, and jobs ask for it as their queue.

    machine_type: in the cloud's words. gpus: of one machine. nodes: machines that jobs can use together, spares not
    counted; of an elastic pool as many as there may be. elastic: its machines come for a job and go after it.
    """

    machine_type: str
    gpus: int
    nodes: int
    elastic: bool


@dataclass(frozen=True, kw_only=True)
class SharedStorage:
    """The storage that all nodes mount.

    id: what its CSI driver calls it by: the id of a file system on AWS, PROJECT/ZONE/INSTANCE or the name of a bucket
    on Google Cloud, the name of a file system on Azure. usable_gib: GiB that data may fill. namespace, claim: of the
    PersistentVolumeClaim that pods mount.
    """

    id: pulumi.Output[str]
    usable_gib: int
    namespace: str = NAMESPACE
    claim: str = SHARED_CLAIM


def pools_of(pools: Iterable[JobPool]) -> Mapping[str, Pool]:
    """The pools by name."""
    return {
        pool.name: Pool(
            machine_type=pool.shape.machine_type, gpus=pool.shape.gpus, nodes=pool.nodes, elastic=pool.elastic
        )
        for pool in pools
    }
