"""Kubernetes objects that create disks and load balancers, and Helm charts, of which only known ones are free."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN
from gpucluster.core.program.values import is_list
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.pricing.model import Free, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, read

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
    "kube-state-metrics": (
        "its pod; the samples that it gives are billed at their destination",
        "https://github.com/prometheus-community/helm-charts/tree/main/charts/kube-state-metrics",
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
    "lws": ("its controller's pods", "https://github.com/kubernetes-sigs/lws/tree/v0.9.0/charts/lws"),
    "slurm-operator-crds": (
        "definitions of objects only",
        "https://github.com/SlinkyProject/slurm-operator/tree/v1.1.0/helm/slurm-operator-crds",
    ),
    "slurm-operator": (
        "its controller's pods",
        "https://github.com/SlinkyProject/slurm-operator/tree/v1.1.0/helm/slurm-operator",
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


def ephemeral_volumes(pod_spec: Any) -> Iterator[str]:
    """Names of the volumes in a pod's spec that are made for each pod (Kubernetes documentation, ephemeral volumes).

    Raises CannotPrice when the volumes are not known before the update.
    """
    for volume in _known_list(pod_spec, "volumes"):
        made = read(volume, "ephemeral", "volumeClaimTemplate")
        if made is UNKNOWN:
            raise CannotPrice("volumes are not known before the update")
        if made is not None:
            yield str(read(volume, "name"))


def claims_of(spec: Any) -> Iterator[str]:
    """Names of the `volumeClaimTemplates` of a StatefulSet's spec."""
    for claim in _known_list(spec, "volumeClaimTemplates"):
        yield str(read(claim, "metadata", "name"))


def _known_list(value: Any, key: str) -> Iterator[Any]:
    found = read(value, key)
    if found is UNKNOWN:
        raise CannotPrice(f"{key} are not known before the update")
    if found is None:
        return
    if not is_list(found):
        raise CannotPrice(f"{key} is {found!r}, expected a list")
    yield from found


_RUNS_ON_NODES = "https://kubernetes.io/docs/concepts/overview/"


@prices("kubernetes:core/v1:Service")
def service(item: Pricing) -> Iterator[Free | NotPriced]:
    """A Service of type LoadBalancer creates a load balancer (Kubernetes documentation, Service)."""
    if item.get("spec", "type") == "LoadBalancer":
        yield item.not_priced("a Service of type LoadBalancer creates a load balancer in the cloud")
    else:
        yield item.free("an object in the cluster", _RUNS_ON_NODES)


@prices("kubernetes:networking.k8s.io/v1:Ingress")
def ingress(item: Pricing) -> Iterator[NotPriced]:
    """An Ingress may create a load balancer, depending on the controller of its class."""
    yield item.not_priced("an Ingress may create a load balancer in the cloud")


_POD: Final[dict[str, tuple[str, ...]]] = {
    "Pod": ("spec",),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
}
"""Kind -> path of its pod's spec, if that is not `spec.template.spec`."""


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


_SOURCE: Final = "https://prometheus-operator.dev/docs/platform/storage/"


@prices(
    "kubernetes:monitoring.coreos.com/v1:Alertmanager",
    "kubernetes:monitoring.coreos.com/v1:Prometheus",
    "kubernetes:monitoring.coreos.com/v1:ThanosRuler",
    "kubernetes:monitoring.coreos.com/v1alpha1:PrometheusAgent",
)
def stored(item: Pricing) -> Iterator[Free | NotPriced]:
    """Free, except volumes of `spec.storage` and `spec.volumes` (Prometheus operator documentation, storage)."""
    made = [*ephemeral_volumes(item.get("spec"))]
    for key in ("volumeClaimTemplate", "ephemeral"):
        if item.get("spec", "storage", key) is not None:
            made.append(f"storage.{key}")
    if made:
        yield item.not_priced(f"it creates a new volume for each pod: {', '.join(made)}")
    else:
        yield item.free("runs on nodes that are priced", _SOURCE)
