"""Workloads of Kubernetes: their pods run on nodes that are priced, but they may bring volumes into being."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.cost.handlers.pod_volumes import claims_of, ephemeral_volumes
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import Free, NotPriced
from gpucluster.cost.pricing import Pricing

_POD: Final[dict[str, tuple[str, ...]]] = {
    "Pod": ("spec",),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
}
"""Kind -> where its pod's spec stands, where that is not `spec.template.spec`."""


@prices(
    "kubernetes:apps/v1:DaemonSet",
    "kubernetes:apps/v1:Deployment",
    "kubernetes:apps/v1:ReplicaSet",
    "kubernetes:apps/v1:StatefulSet",
    "kubernetes:batch/v1:CronJob",
    "kubernetes:batch/v1:Job",
    "kubernetes:core/v1:Pod",
    "kubernetes:core/v1:ReplicationController",
)
def workload(item: Pricing) -> Iterator[Free | NotPriced]:
    """Free, except volumes created for each pod (Kubernetes documentation, StatefulSet and ephemeral volumes)."""
    kind = item.resource.type.rsplit(":", 1)[-1]
    pod = item.get(*_POD.get(kind, ("spec", "template", "spec")))
    made = [*ephemeral_volumes(pod), *(claims_of(item.get("spec")) if kind == "StatefulSet" else ())]
    if made:
        yield item.not_priced(f"it creates a new volume for each pod: {', '.join(made)}")
    else:
        yield item.free("runs on nodes that are priced", "https://kubernetes.io/docs/concepts/workloads/")
