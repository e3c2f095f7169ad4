"""The cloud data for the program of this folder: its node class and its machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.catalog.eks_pods import eks_pods
from gpucluster.catalog.machines import Machine, machines
from gpucluster.sandbox.live.karpenter.classes import NodeClass
from gpucluster.sandbox.live.nodes import aws, azure
from gpucluster.sandbox.live.nodes.devices import GPU
from gpucluster.sandbox.live.nodes.manifest import resources
from gpucluster.sandbox.live.nodes.pool import Reserve
from gpucluster.sandbox.type_guards import items, mapping

_ROOT_GIB: Final = {"aws": 20, "azure": 128}
"""Default root disk of the class. Sources: aws/karpenter-provider-aws v1.14.1, pkg/providers/amifamily/resolver.go
(DefaultEBS); Azure/karpenter-provider-azure v1.14.2, pkg/apis/v1beta1/aksnodeclass.go.
"""


def cloud_document(
    group: str, node_class: NodeClass, spec: Mapping[str, Any], *, region: str, taints: Sequence[str] = ()
) -> dict[str, Any]:
    """Every machine of the catalog in this cloud, in the catalog's order; `program/machines.go` reads it.

    group: API group of the class; spec: of the cluster's class. Excludes machines without a sourced memory size.
    taints: keys of startup taints that drivers of the stack remove.
    """
    return {
        "nodeClass": {"group": group, "version": node_class.version, "kind": node_class.kind},
        "zoneLabels": list(node_class.zone_labels),
        "spotPauseSeconds": node_class.spot_pause,
        "purchaseLabels": {way: dict(labels) for way, labels in node_class.purchase_labels.items()},
        "taintsTaken": list(taints),
        "machines": [
            _machine(machine, spec, region)
            for machine in machines().values()
            if machine.cloud == node_class.cloud and machine.vcpus and machine.memory_gib
        ],
    }


def _machine(machine: Machine, spec: Mapping[str, Any], region: str) -> dict[str, Any]:
    """The machine as a node, without the fabric's network cards, which an elastic pool does not use."""
    pods, reserve = _kubelet(machine)
    capacity, allocatable = resources(
        machine,
        pods=pods,
        disk_gib=_disk_gib(machine, spec),
        devices={GPU: str(machine.gpus)},
        reserve=reserve,
    )
    labels = {"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "topology.kubernetes.io/region": region}
    return {"name": machine.machine_type, "labels": labels, "capacity": capacity, "allocatable": allocatable}


def _disk_gib(machine: Machine, spec: Mapping[str, Any]) -> int:
    """Disk of a kubelet for images and logs: EC2's local disks if they are combined into one, else the root disk."""
    if spec.get("instanceStorePolicy") == "RAID0" and machine.nvme_gb:
        return machine.nvme_gb * 10**9 // 2**30
    for device in map(mapping, items(spec.get("blockDeviceMappings"))):
        size = str(mapping(device.get("ebs")).get("volumeSize") or "")
        if device.get("rootVolume") and size.endswith("Gi"):
            return int(size.removesuffix("Gi"))
    return int(spec.get("osDiskSizeGB") or _ROOT_GIB[machine.cloud])


def _kubelet(machine: Machine) -> tuple[int, Reserve]:
    """The maximum pods of a node, and its reserved resources."""
    if machine.cloud == "aws":
        pods = eks_pods(machine.machine_type)
        return pods, aws.reserve(machine, pods)
    return azure.PODS, azure.reserve(machine, azure.PODS)
