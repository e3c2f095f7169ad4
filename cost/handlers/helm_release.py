"""Helm charts: only those are free that are known to make nothing that is billed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.pricing.model import Free, NotPriced
from gpucluster.cost.pricing.pricing import Pricing

_PLUGIN: Final = "a device plug-in: one pod per node"
_OPERATOR: Final = "controllers and per-node pods without volumes or load balancers"
_CHARTS: Final[dict[str, tuple[str, str]]] = {
    "karpenter": (
        "its controller's pods; the machines it starts are priced with their NodePool",
        "https://github.com/aws/karpenter-provider-aws/tree/main/charts/karpenter",
    ),
    "karpenter-crd": (
        "definitions of objects only",
        "https://github.com/aws/karpenter-provider-aws/tree/main/charts/karpenter-crd",
    ),
    "aws-efa-k8s-device-plugin": (
        _PLUGIN,
        "https://github.com/aws/eks-charts/tree/master/stable/aws-efa-k8s-device-plugin",
    ),
    "nvidia-device-plugin": (
        _PLUGIN,
        "https://github.com/NVIDIA/k8s-device-plugin/tree/main/deployments/helm/nvidia-device-plugin",
    ),
    "dcgm-exporter": (
        "an exporter: one pod per GPU node",
        "https://github.com/NVIDIA/dcgm-exporter/tree/4.5.3-4.8.2/deployment",
    ),
    "opencost": (
        "its pod; it uses no volume by default",
        "https://github.com/opencost/opencost-helm-chart/tree/main/charts/opencost",
    ),
    "opentelemetry-collector": (
        "its pod; the data that it sends is billed at its destination",
        "https://github.com/open-telemetry/opentelemetry-helm-charts/tree/main/charts/opentelemetry-collector",
    ),
    "gpu-operator": (_OPERATOR, "https://github.com/NVIDIA/gpu-operator/tree/main/deployments/gpu-operator"),
    "network-operator": (
        _OPERATOR,
        "https://github.com/Mellanox/network-operator/tree/v26.4.0/deployment/network-operator",
    ),
    "kueue": ("its controller's pods", "https://github.com/kubernetes-sigs/kueue/tree/main/charts/kueue"),
    "jobset": ("its controller's pods", "https://github.com/kubernetes-sigs/jobset/tree/main/charts/jobset"),
    "kubeflow-trainer": (
        "its controller's pods",
        "https://github.com/kubeflow/trainer/tree/v2.2.1/charts/kubeflow-trainer",
    ),
}
"""Chart -> (why it is free, its templates)."""

_GOOGLE: Final = "cloudpilot-ai.github.io/karpenter-provider-gcp"
"""Repository of Karpenter for Google Cloud, whose charts are called as those for AWS are."""


@prices("kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh/v3:Chart", "kubernetes:helm.sh/v4:Chart")
def release(item: Pricing) -> Iterator[Free | NotPriced]:
    """Charts known to create nothing billable are free; no plan shows what others create (their templates)."""
    if any(child.parent == item.urn for child in item.resources):
        yield item.free("its objects are listed separately", "https://www.pulumi.com/docs/iac/concepts/components/")
        return
    chart = item.get("chart")
    name = str(chart).rstrip("/").rsplit("/", 1)[-1]
    if name in _CHARTS:
        why, source = _CHARTS[name]
        if _GOOGLE in f"{chart} {item.get('repositoryOpts', 'repo')}":
            source = f"https://github.com/cloudpilot-ai/karpenter-provider-gcp/tree/v0.5.0/charts/{name}"
        yield item.free(f"chart {name}: {why}", source)
    else:
        shown = "chart" if chart is None else f"chart {name!r}"
        yield item.not_priced(f"{shown}: what the chart creates is not visible in the plan")
