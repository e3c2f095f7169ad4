"""A cluster of two teams and its jobs, as kubectl prints their objects."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

__all__ = ["NOW", "at", "condition", "event", "flavor", "job", "node", "owner", "pod", "workload"]

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)


def at(hours: float) -> str:
    """So many hours ago, as Kubernetes writes a time."""
    return (NOW - timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")


def condition(
    kind: str, hours: float = 0, *, status: str = "True", reason: str = "", message: str = ""
) -> dict[str, Any]:
    return {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": at(hours)}


def owner(kind: str, name: str) -> dict[str, Any]:
    return {"kind": kind, "name": name, "uid": f"{kind}-{name}", "controller": True}


def job(
    name: str, *conditions: dict[str, Any], kind: str = "TrainJob", namespace: str = "training", user: str = ""
) -> dict[str, Any]:
    labels = {"kueue.x-k8s.io/queue-name": "training", **({"gpucluster/user": user} if user else {})}
    metadata = {"name": name, "namespace": namespace, "uid": f"{kind}-{name}", "labels": labels}
    return {"metadata": metadata, "status": {"conditions": [*conditions]}}


def workload(
    name: str,
    *conditions: dict[str, Any],
    kind: str = "TrainJob",
    namespace: str = "training",
    count: int = 1,
    created: float = 9,
    priority: int = 0,
    limits: dict[str, str] | None = None,
    usage: dict[str, str] | None = None,
    flavor: str = "training",
    **more: Any,
) -> dict[str, Any]:
    """limits: of the container of each of its `count` pods. usage: what it was admitted for, in a flavor. more: of its
    status.
    """
    container = {"resources": {"limits": {"nvidia.com/gpu": "8"} if limits is None else limits}}
    sets = [{"name": "node", "count": count, "template": {"spec": {"containers": [container]}}}]
    assigned = {"flavors": dict.fromkeys(usage or {}, flavor), "resourceUsage": usage}
    admission = {} if usage is None else {"admission": {"podSetAssignments": [assigned]}}
    return {
        "metadata": {
            "name": f"{kind.lower()}-{name}",
            "namespace": namespace,
            "uid": f"w-{name}",
            "creationTimestamp": at(created),
            "ownerReferences": [owner(kind, name)],
        },
        "spec": {
            "queueName": "training",
            "podSets": sets,
            "priority": priority,
            **({"active": more.pop("active")} if "active" in more else {}),
        },
        "status": {"conditions": [*conditions], **admission, **more},
    }


def pod(
    name: str,
    job: str,
    *,
    phase: str = "Running",
    node: str = "a",
    namespace: str = "training",
    owned: dict[str, Any] | None = None,
    waits: str = "",
) -> dict[str, Any]:
    label = {"jobset.sigs.k8s.io/jobset-name": job} if owned is None else {}
    told = [{"type": "PodScheduled", "status": "False", "message": waits}] if waits else []
    return {
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"Pod-{name}",
            "labels": label,
            "ownerReferences": [] if owned is None else [owned],
        },
        "spec": {"nodeName": node} if node else {},
        "status": {"phase": phase, "conditions": told},
    }


def node(name: str, machine: str = "p5.48xlarge", *, pool: str = "training", bought: str = "") -> dict[str, Any]:
    labels = {
        "gpucluster/pool": pool,
        "node.kubernetes.io/instance-type": machine,
        "topology.kubernetes.io/region": "us-east-1",
        **({"karpenter.sh/capacity-type": bought} if bought else {}),
    }
    return {"metadata": {"name": name, "labels": labels}}


def flavor(name: str, machine: str = "p5.48xlarge", *, bought: str = "") -> dict[str, Any]:
    """As a stack declares it: with the labels of its nodes."""
    return node(name, machine, bought=bought)


def event(about: str, message: str, *, namespace: str = "training", hours: float = 0) -> dict[str, Any]:
    return {
        "type": "Warning",
        "metadata": {"namespace": namespace},
        "involvedObject": {"name": about},
        "message": message,
        "lastTimestamp": at(hours),
    }
