"""The Node object of one machine, and a cloud's changes to it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gpucluster.core.catalog.machines import CpuMachine, Machine
from gpucluster.sandbox.live.nodes.pool import Pool, Reserve, digits


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A condition of a Node's status."""

    type: str
    status: str
    reason: str
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class Sign:
    """notice: the cloud's action, for the user. drains: whether it cordons the node and evicts its pods. claim: whether
    it deletes the node's NodeClaim instead.
    """

    notice: str
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    taints: Sequence[Mapping[str, str]] = ()
    conditions: Sequence[Condition] = ()
    drains: bool = False
    claim: bool = False


KUBELET: Final = {"kwok.x-k8s.io/node": "fake"}
"""Label of nodes whose kubelet kwok simulates; Karpenter's nodes have it, too. A label, because kwok continues the
lease of a node whose annotation is removed (kubernetes-sigs/kwok v0.8.0, pkg/utils/informer/informer.go)."""
POOL: Final = "sandbox.gpucluster/pool"
ORDINAL: Final = "sandbox.gpucluster/machine"
"""Annotations of nodes of the ledger's machines: their pool, and their number in it."""


def node(pool: Pool, machine: Machine | CpuMachine, ordinal: int) -> dict[str, Any]:
    """The object that the kubelet of a machine registers, with its devices."""
    host, zone = pool.host(ordinal), pool.zone(ordinal)
    capacity, allocatable = resources(
        machine, pods=pool.pods, disk_gib=pool.disk_gib, devices=pool.devices, reserve=pool.reserve
    )
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": host.name,
            "annotations": {
                POOL: pool.key,
                ORDINAL: str(ordinal),
                "node.alpha.kubernetes.io/ttl": "0",
            },
            "labels": {
                **KUBELET,
                "beta.kubernetes.io/arch": "amd64",
                "beta.kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                "kubernetes.io/hostname": host.name,
                "kubernetes.io/os": "linux",
                "node.kubernetes.io/instance-type": pool.machine_type,
                "topology.kubernetes.io/zone": zone,
                **pool.labels,
                **host.labels,
            },
        },
        "spec": {"providerID": host.provider_id, "taints": [dict(taint) for taint in pool.taints]},
        "status": {
            "capacity": capacity,
            "allocatable": allocatable,
            "addresses": [
                {"type": "InternalIP", "address": host.address},
                {"type": "Hostname", "address": host.name},
            ],
            "nodeInfo": {
                "architecture": "amd64",
                "operatingSystem": "linux",
                "kubeletVersion": pool.version,
                "bootID": str(uuid.UUID(digits("boot", pool.key, ordinal, length=32))),
                **dict.fromkeys(
                    (
                        "containerRuntimeVersion",
                        "kernelVersion",
                        "kubeProxyVersion",
                        "machineID",
                        "osImage",
                        "systemUUID",
                    ),
                    "",
                ),
            },
        },
    }


def resources(
    machine: Machine | CpuMachine, *, pods: int, disk_gib: int, devices: Mapping[str, str], reserve: Reserve
) -> tuple[dict[str, str], dict[str, str]]:
    """Capacity and its allocatable part. A kubelet keeps a tenth of the disk free (its default nodefs.available)."""
    memory = int(machine.memory_gib * 1_024 * (1 - reserve.unseen))
    huge = sum(int(amount.removesuffix("Mi")) for name, amount in devices.items() if name.startswith("hugepages-"))
    common = {"pods": str(pods), **devices}
    capacity = {
        "cpu": str(machine.vcpus),
        "memory": f"{memory}Mi",
        "ephemeral-storage": f"{disk_gib}Gi",
        **common,
    }
    allocatable = {
        "cpu": f"{machine.vcpus * 1_000 - reserve.millicores}m",
        "memory": f"{memory - reserve.memory - huge}Mi",
        "ephemeral-storage": f"{disk_gib * 9 // 10}Gi",
        **common,
    }
    return capacity, allocatable
