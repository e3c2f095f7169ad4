"""The rows of a list of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpucluster.sandbox.live.nodes.devices import GPU
from gpucluster.sandbox.live.nodes.manifest import POOL
from gpucluster.sandbox.type_guards import items, mapping

_ENDED = ("Succeeded", "Failed")


def rows(nodes: Sequence[Mapping[str, Any]], pods: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A row for each node: name, pool, machine, zone, state, gpus (used / working), pods."""
    on: dict[str, list[Mapping[str, Any]]] = {}
    for pod in pods:
        if mapping(pod.get("status")).get("phase") not in _ENDED:
            on.setdefault(str(mapping(pod.get("spec")).get("nodeName")), []).append(pod)
    return sorted((_row(node, on) for node in nodes), key=lambda row: (row["pool"], row["name"]))


def _row(node: Mapping[str, Any], on: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    metadata = mapping(node.get("metadata"))
    labels, name = mapping(metadata.get("labels")), str(metadata.get("name"))
    there = mapping(mapping(node.get("status")).get("allocatable"))
    gpus = sum(int(amount) for key, amount in there.items() if key == GPU or key.startswith("nvidia.com/mig-"))
    pods = on.get(name, ())
    return {
        "name": name,
        "pool": str(mapping(metadata.get("annotations")).get(POOL) or labels.get("karpenter.sh/nodepool") or "-"),
        "machine": str(labels.get("node.kubernetes.io/instance-type")),
        "zone": str(labels.get("topology.kubernetes.io/zone")),
        "state": state_of(node),
        "gpus": f"{sum(map(gpus_of, pods))}/{gpus}" if gpus else "-",
        "pods": len(pods),
    }


def state_of(node: Mapping[str, Any]) -> str:
    """Ready, NotReady or Unreachable, then all obstacles for pods and all faults."""
    status, spec = mapping(node.get("status")), mapping(node.get("spec"))
    conditions = {str(it.get("type")): it for it in map(mapping, items(status.get("conditions")))}
    ready = str(mapping(conditions.get("Ready")).get("status"))
    said = [{"True": "Ready", "Unknown": "Unreachable"}.get(ready, "NotReady")]
    if spec.get("unschedulable"):
        said.append("cordoned")
    return ", ".join([*said, *_wrong(conditions, mapping(status))])


def _wrong(conditions: Mapping[str, Mapping[str, Any]], status: Mapping[str, Any]) -> Iterator[str]:
    """Conditions set by agents that differ from those of a healthy node, and failed devices."""
    for name, condition in conditions.items():
        if name != "Ready" and condition.get("status") == ("False" if name.endswith("Ready") else "True"):
            yield name
    works = mapping(status.get("allocatable"))
    for name, amount in mapping(status.get("capacity")).items():
        if name.startswith("nvidia.com/") and works.get(name) != amount:
            yield f"{works.get(name)} of {amount} {name} work"


def gpus_of(pod: Mapping[str, Any]) -> int:
    """GPUs or slices that a pod requests."""
    asked = 0
    for container in map(mapping, items(mapping(pod.get("spec")).get("containers"))):
        limits = mapping(mapping(container.get("resources")).get("limits"))
        asked += sum(
            int(amount) for key, amount in limits.items() if key.startswith(("nvidia.com/gpu", "nvidia.com/mig-"))
        )
    return asked
