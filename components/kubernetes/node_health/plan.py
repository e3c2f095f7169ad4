"""Settings of the node-health controller: conditions of a broken node. Imports no Pulumi."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.components.kubernetes.jobs.job_pool import JobPool
from gpucluster.components.planning.names import GPU, GPU_PRESENT, POOL, TRAINING_POOL
from gpucluster.components.spec.operations import BrokenNodes

BROKEN: Final = "gpucluster/broken"
"""Key of the taint of a broken node."""

PROGRAM_MISTAKES: Final = (13, 31)
"""XIDs that a faulty program causes as well: an exception in the graphics engine, and a fault of a memory page.
If they counted, one faulty program would take every node it runs on out of the cluster.

Source: Amazon EKS user guide, node-health-nma ("NVIDIA XID error codes"); NVIDIA/k8s-device-plugin 0.19.3,
internal/rm/health.go, which ignores the same.
"""
MEMORY_REMAPPED: Final = 63
"""XID of a memory row that will be remapped at the GPU's next reset: until then programs run unharmed.

Source: NVIDIA's documentation of GPU memory error management, "Error Recovery and Response Flags".
"""

# Two checks of the program: a fault that ends before the second does not count.
_BROKEN_SECONDS: Final = 10
_WELL_SECONDS: Final = 120
# A device plugin that is replaced is away for as long as its image takes to arrive, after a reboot for as long as the
# driver does. For 5 minutes the kubelet still counts its devices as capacity, then as none.
# Source: kubernetes v1.36.3, pkg/kubelet/cm/devicemanager (endpointStopGracePeriod).
_GONE_SECONDS: Final = 15 * 60
# A fault of more nodes is not a broken machine, but a driver, an image or a detector. Karpenter and EKS' node repair
# stop likewise: aws/karpenter-provider-aws v1.14.1, "Node Auto Repair"; Amazon EKS user guide, node-repair.
_ONE_IN: Final = 5


def most_drained(nodes: int) -> int:
    """How many of these nodes may be broken at a time and still be drained and repaired; always one."""
    return max(1, nodes // _ONE_IN)


def settings_json(
    mode: BrokenNodes,
    pools: Sequence[JobPool],
    conditions: Sequence[Mapping[str, Any]],
    labels: Mapping[str, Mapping[str, str]],
    maintenance: str = "",
) -> str:
    """The program's `Settings` as JSON. mode: drain or report. conditions, labels, maintenance: as in `Settings`."""
    training = {pool.name: _devices(pool) for pool in pools if pool.name == TRAINING_POOL}
    settings = {
        "mode": mode,
        "taint": BROKEN,
        "nodes": f"{GPU_PRESENT}=true",
        "pool": POOL,
        "broken_seconds": _BROKEN_SECONDS,
        "well_seconds": _WELL_SECONDS,
        "gone_seconds": _GONE_SECONDS,
        "one_in": _ONE_IN,
        "devices": {"": {GPU: 0}, **training},
        "conditions": conditions,
        **({"maintenance": maintenance} if maintenance else {}),
        "labels": labels,
    }
    return json.dumps(settings, indent=2, sort_keys=True)


def health_note(mode: BrokenNodes, *, spares: int, slurm: bool, repair: str) -> str:
    """The plan's note about broken nodes. slurm: whether Slurm has the pool with the spares. repair: the actor that
    repairs a broken node, and when.
    """
    if mode == "leave":
        return "broken GPU nodes are not detected (health.broken_nodes: leave)"
    if mode == "report":
        return "broken GPU nodes are reported and keep their jobs (health.broken_nodes: report)"
    where = "move to a spare within minutes" if spares else "wait for its repair, because training.spares is 0"
    jobs = "batch jobs of a broken GPU node, which Slurm queues again," if slurm else "jobs of a broken GPU node"
    return f"the {jobs} {where}; {repair} (docs/operate/self-healing.md)"


def _devices(pool: JobPool) -> dict[str, int]:
    """Devices of a node of the pool: those that a pod requests that uses a whole node."""
    fabric: Mapping[str, str] = {} if pool.fabric is None else pool.fabric.resources
    return {**pool.ask, **{device: int(amount) for device, amount in fabric.items() if amount.isdigit()}}
