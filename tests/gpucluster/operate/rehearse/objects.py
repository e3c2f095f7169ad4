"""Objects of a cluster as its API server would show them."""

from __future__ import annotations

from typing import Any

from gpucluster.operate.rehearse.objects import Manifest

__all__ = ["manifest", "node", "pod", "workload"]


def manifest(kind: str = "TrainJob", **spec: Any) -> Manifest:
    body = {"apiVersion": "x/v1", "kind": kind, "metadata": {"name": "job", "namespace": "training"}, "spec": spec}
    return Manifest(source="job.yaml", body=body)


def workload(*conditions: tuple[str, str, str], count: int = 2, checks: list[Any] | None = None) -> dict[str, Any]:
    """conditions: type, status, message."""
    named = [{"type": kind, "status": status, "message": said} for kind, status, said in conditions]
    return {
        "metadata": {"name": "trainjob-job", "uid": "w"},
        "spec": {"queueName": "training", "podSets": [{"count": count}]},
        "status": {"conditions": named, "admissionChecks": checks or []},
    }


def pod(
    number: int, *, on: str | None = None, gpus: int = 8, waits: str = "", pool: str = "training"
) -> dict[str, Any]:
    """waits: what the scheduler says."""
    told = [{"type": "PodScheduled", "status": "False", "message": waits}] if waits else []
    return {
        "metadata": {"name": f"job-{number}", "uid": f"p{number}"},
        "spec": {
            **({"nodeName": on} if on else {}),
            "nodeSelector": {"gpucluster/pool": pool},
            "containers": [{"name": "node", "resources": {"limits": {"nvidia.com/gpu": gpus}}}],
        },
        "status": {"phase": "Running" if on else "Pending", "conditions": told},
    }


def node(name: str, machine: str, *, gpus: int = 8, bought: str | None = None, leaf: str = "b1") -> dict[str, Any]:
    """bought: as Karpenter labels it."""
    labels = {"node.kubernetes.io/instance-type": machine, "leaf": leaf}
    labels |= {"karpenter.sh/capacity-type": bought} if bought else {}
    return {"metadata": {"name": name, "labels": labels}, "status": {"capacity": {"nvidia.com/gpu": str(gpus)}}}
