"""Exports of a stack with one cluster: access, contents, and next commands."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pulumi

from gpucluster.components.cluster.outputs import Cluster
from gpucluster.components.resources.simulated import simulated
from gpucluster.components.stack.trial_start import OUTPUT
from gpucluster.core.program.resources import Unknown


def export(cluster: Cluster, days: Decimal | Unknown | None, begun: datetime | None) -> None:
    """Exports the cluster's outputs next to the cost, by the same names on every cloud; `gpucluster connect` reads
    them.

    days: the cluster's duration. begun: time of the stack's first update, None before.
    """
    found = cluster.outputs()
    # Endpoint and pools are in the kubeconfig and in the plan.
    names = ("clusterName", "kubeconfig", "account", "metrics", "logs", "registry")
    told: dict[str, Any] = {name: found[name] for name in names if name in found}
    if cluster.bucket is not None:
        told["bucket"] = cluster.bucket
    if cluster.identities:
        told["identities"] = cluster.identities
    todo = _next(pulumi.get_stack(), logs=cluster.logs is not None)
    for name, value in {**told, "sharedStorage": found["storage"], "next": todo}.items():
        pulumi.export(name, value)
    if begun:
        pulumi.export(OUTPUT, begun.isoformat())
        if isinstance(days, Decimal):
            pulumi.export("ends", (begun + timedelta(days=float(days))).isoformat())


def _next(stack: str, *, logs: bool) -> list[str]:
    sandbox = "sandbox " if simulated() else ""
    return [
        f"gpucluster {sandbox}connect --stack {stack}",
        "kubectl apply -f examples/jobs/pytorch.yaml",
        "kubectl get trainjobs,workloads,pods",
        *([f"{'gpucluster sandbox ' if sandbox else ''}pulumi stack output logs --stack {stack}"] if logs else []),
    ]
