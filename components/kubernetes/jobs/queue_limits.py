"""Resources of one machine of a queue and of the whole queue, for the rules for jobs and pods.

Imports no Pulumi.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from gpucluster.components.kubernetes.jobs.job_pool import JobPool

_DEVICES: Final = ("nvidia.com/", "vpc.amazonaws.com/efa", "rdma/")
"""Prefixes of the resource names of GPUs, their slices and the fabric's interfaces."""


def limit_values(pools: Sequence[JobPool], queues: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """queues: runtime -> queues of its pools."""
    by_name = {pool.name: pool for pool in pools}
    return {
        "pools": list(by_name),
        "devices": _DEVICES,
        "asks": {runtime: by_name[found[0]].ask for runtime, found in queues.items()},
        "machine": {name: _of_a_machine(pool) for name, pool in by_name.items()},
        "most": {name: _of_a_queue(pool) for name, pool in by_name.items()},
        "limits": "; ".join(_told(pool) for pool in pools),
        "own": [f"{next(iter(pool.ask))} in {pool.name}" for pool in pools],
    }


def _told(pool: JobPool) -> str:
    machine = " and ".join(f"{amount} {device}" for device, amount in _of_a_machine(pool).items())
    return f"{pool.name} {max(1, pool.nodes)} with {machine} each"


def _of_a_machine(pool: JobPool) -> dict[str, int]:
    return {device: amount // max(1, pool.nodes) for device, amount in _of_a_queue(pool).items()}


def _of_a_queue(pool: JobPool) -> dict[str, int]:
    return {name: int(amount) for name, amount in pool.quotas.items() if name.startswith(_DEVICES)}
