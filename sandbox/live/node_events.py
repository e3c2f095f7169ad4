"""Notice that a cloud will reclaim a machine of Karpenter's."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from gpucluster.core.catalog.clouds import cloud_of_package, module_of
from gpucluster.core.text.type_guards import items, mapping
from gpucluster.errors import InputError
from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.live.nodes.fleet import pools_of
from gpucluster.sandbox.live.nodes.manifest import KUBELET, POOL, Condition, Sign
from gpucluster.sandbox.live.nodes.pool import GPU

_ANNOTATION: Final = "gpucluster/interruption"
"""Represents a message in the interruption queue; `program/interruption.go` reads it."""
_BOUGHT: Final = "karpenter.sh/capacity-type"


def notice(claim: Mapping[str, Any]) -> dict[str, Any]:
    """The change of a NodeClaim when the queue has such a message about its machine."""
    labels = mapping(mapping(claim.get("metadata")).get("labels"))
    kind = "spot" if labels.get(_BOUGHT) == "spot" else "scheduled-change"
    return {"metadata": {"annotations": {_ANNOTATION: kind}}}


Node = Mapping[str, Any]

_OF_KUBELETS: Final = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")


def fail(client: Client, node: Node) -> str:
    """Its kubelet stops, and with it its lease. Raises ObjectRefused, as do all functions here."""
    client.patch(node, {"metadata": {"labels": dict.fromkeys(KUBELET)}})
    return "its kubelet has stopped; when its lease is 40 seconds old the node is unreachable"


def repair(client: Client, node: Node, cluster: Entry, entries: Sequence[Entry]) -> str:
    """The machine restarts without the cloud's conditions, and with all devices whose plugins its taints do not evict;
    a cordon stays.
    """
    status = mapping(node.get("status"))
    away = _evicted(node, cluster, entries)
    types = (str(mapping(found).get("type")) for found in items(status.get("conditions")))
    change = {
        "allocatable": {
            name: "0" if name in away else amount
            for name, amount in mapping(status.get("capacity")).items()
            if "/" in name
        },
        "nodeInfo": {"bootID": str(uuid.uuid4())},
        "conditions": [{"type": name, "$patch": "delete"} for name in types if name not in _OF_KUBELETS],
    }
    client.patch(node, {"status": change}, part="status", merge="strategic-merge")
    sign: Sign = _signs(cluster).interruption(node) or Sign(notice="")
    gone = {taint["key"] for taint in sign.taints}
    kept = [taint for taint in items(mapping(node.get("spec")).get("taints")) if mapping(taint).get("key") not in gone]
    client.patch(node, {"metadata": {"labels": {**dict.fromkeys(sign.labels), **KUBELET}}, "spec": {"taints": kept}})
    return f"restarted without {', '.join(away)}: its taint evicts the plugin" if away else "restarted with all devices"


def _evicted(node: Node, cluster: Entry, entries: Sequence[Entry]) -> Sequence[str]:
    """The devices of a pool's node whose plugins do not tolerate a taint that evicts pods."""
    taints = [mapping(taint) for taint in items(mapping(node.get("spec")).get("taints"))]
    more = [taint for taint in taints if taint.get("effect") == "NoExecute"]
    key = mapping(mapping(node.get("metadata")).get("annotations")).get(POOL)
    for whole, left in zip(pools_of(entries, cluster), pools_of(entries, cluster, more=more), strict=True):
        if whole.key == key:
            return [name for name in whole.devices if name not in left.devices]
    return ()


def cordon(client: Client, node: Node) -> str:
    """No further pod is scheduled on it."""
    client.patch(node, {"spec": {"unschedulable": True}})
    return "no new pods are scheduled on it; running pods continue"


def uncordon(client: Client, node: Node) -> str:
    """Pods are scheduled on it again."""
    client.patch(node, {"spec": {"unschedulable": None}})
    return "new pods can be scheduled on it again"


def take_away(client: Client, node: Node) -> str:
    """The machine is deleted, and its Node with it, as by the cloud's node controller."""
    client.delete(node)
    return "machine and Node deleted"


def degrade(client: Client, node: Node, cluster: Entry, entries: Sequence[Entry]) -> str:
    """One GPU fails: the device plugin no longer counts it, and the cloud's agent reports its condition.

    Raises InputError for a node without GPUs.
    """
    status = mapping(node.get("status"))
    name = next((key for key in mapping(status.get("capacity")) if key == GPU or key.startswith("nvidia.com/mig-")), "")
    left = int(mapping(status.get("allocatable")).get(name) or 0)
    if left == 0:
        raise InputError(f"{mapping(node.get('metadata')).get('name')} has no GPU that works; choose a node with GPUs")
    conditions = _signs(cluster).broken(node, entries)
    written = {"allocatable": {name: str(left - 1)}, "conditions": [_condition(found) for found in conditions]}
    client.patch(node, {"status": written}, part="status", merge="strategic-merge")
    seen = ", ".join(f"{found.type} is {found.status} ({found.reason})" for found in conditions)
    return f"{left - 1} {name} work; {seen or 'no node condition in this cluster reports it'}"


def interrupt(client: Client, node: Node, cluster: Entry) -> str:
    """The cloud's notice that it will reclaim the machine.

    Raises InputError if clusters get no notice, and for a machine that Karpenter has already released.
    """
    name = str(mapping(node.get("metadata")).get("name"))
    sign: Sign | None = _signs(cluster).interruption(node)
    if sign is None:
        raise InputError(
            f"{name} is bought on demand: its cloud gives no notice before it removes the machine; "
            f"gpucluster sandbox node delete {name} deletes it without notice"
        )
    if sign.claim:
        claim = _claim(client, node)
        client.patch(claim, notice(claim))
        return sign.notice
    if sign.conditions:
        conditions = [_condition(found) for found in sign.conditions]
        client.patch(node, {"status": {"conditions": conditions}}, part="status", merge="strategic-merge")
    taints = [*items(mapping(node.get("spec")).get("taints")), *map(dict, sign.taints)]
    client.patch(node, {"metadata": {"labels": dict(sign.labels)}, "spec": {"taints": taints, "unschedulable": True}})
    if sign.drains:
        _drain(client, name)
    return sign.notice


def _claim(client: Client, node: Node) -> Mapping[str, Any]:
    """Karpenter's claim on a machine, found by the machine's id: the claim has the id before pods run there, but the
    Node's name only afterwards.
    """
    machine = mapping(node.get("spec")).get("providerID")
    for claim in client.list("karpenter.sh/v1", "NodeClaim"):
        if machine and mapping(claim.get("status")).get("providerID") == machine:
            return claim
    name = mapping(node.get("metadata")).get("name")
    raise InputError(f"{name} has no NodeClaim of Karpenter's any more: it is being removed; name another node")


def _signs(cluster: Entry) -> Any:
    cloud = cloud_of_package(cluster.provider)
    module = module_of(f"gpucluster.sandbox.live.nodes.{cloud.name}") if cloud is not None else None
    if module is None:
        raise InputError(f"what a cluster of {cluster.provider} shows of its machines is not known here")
    return module


def _drain(client: Client, name: str) -> None:
    """Evicts the pods of a node, except those of DaemonSets."""
    for pod in client.list("v1", "Pod"):
        metadata = mapping(pod.get("metadata"))
        owners = (mapping(owner).get("kind") for owner in items(metadata.get("ownerReferences")))
        if mapping(pod.get("spec")).get("nodeName") == name and "DaemonSet" not in owners:
            client.evict(pod)


def _condition(found: Condition) -> dict[str, str]:
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return {
        "type": found.type,
        "status": found.status,
        "reason": found.reason,
        "message": found.message,
        "lastHeartbeatTime": now,
        "lastTransitionTime": now,
    }
