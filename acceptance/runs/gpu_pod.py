"""Common parts of acceptance pods: they use whole training nodes, including spares, outside the queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.components.names import ACCEPTANCE, GPU_TOLERATION, POOL, TRAINING_POOL

_TTL_SECONDS: Final = 24 * 3600
# A new node is measured while a cordon keeps jobs off it.
# Source: kubernetes v1.34.1, pkg/scheduler/framework/plugins/nodeunschedulable.
_CORDON: Final = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"}


def indexed_job(name: str, step: str, *, count: int, pod: Mapping[str, Any]) -> dict[str, Any]:
    """A Job of `count` pods at once, none of them restarted."""
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "labels": {ACCEPTANCE: step}},
        "spec": {
            "completionMode": "Indexed",
            "completions": count,
            "parallelism": count,
            "backoffLimit": 0,
            "ttlSecondsAfterFinished": _TTL_SECONDS,
            "template": {"metadata": {"labels": {ACCEPTANCE: step}}, "spec": {"restartPolicy": "Never", **pod}},
        },
    }


def one_a_node(step: str, nodes: Sequence[str]) -> dict[str, Any]:
    """Fields of a pod that schedule one on each of these training nodes, cordoned or not."""
    return {
        "tolerations": [GPU_TOLERATION, _CORDON],
        "automountServiceAccountToken": False,
        "affinity": {
            "nodeAffinity": on_nodes(nodes),
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {"labelSelector": {"matchLabels": {ACCEPTANCE: step}}, "topologyKey": "kubernetes.io/hostname"}
                ]
            },
        },
    }


def on_nodes(nodes: Sequence[str]) -> dict[str, Any]:
    """A node affinity for these training nodes."""
    return {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
                {
                    "matchExpressions": [{"key": POOL, "operator": "In", "values": [TRAINING_POOL]}],
                    "matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}],
                }
                for node in nodes
            ]
        }
    }
