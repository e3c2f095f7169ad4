"""The custom kinds of a cluster: those with their own definitions, those of Helm charts, and those that its cloud
installs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.kubernetes import aks, gke
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE, cluster_at
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger

DEFINITION: Final = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"

_KARPENTER: Final = frozenset({"karpenter.sh:NodeClaim", "karpenter.sh:NodeOverlay", "karpenter.sh:NodePool"})
_ON_AWS: Final = _KARPENTER | {"autoscaling.x-k8s.io:CapacityBuffer", "karpenter.k8s.aws:EC2NodeClass"}
_ON_GCP: Final = _KARPENTER | {"karpenter.k8s.gcp:GCENodeClass"}
_QUEUES: Final = frozenset(
    f"kueue.x-k8s.io:{kind}"
    for kind in (
        "AdmissionCheck",
        "ClusterQueue",
        "Cohort",
        "LocalQueue",
        "MultiKueueCluster",
        "MultiKueueConfig",
        "ProvisioningRequestConfig",
        "ResourceFlavor",
        "Topology",
        "Workload",
        "WorkloadPriorityClass",
    )
)

# Repository of Karpenter's charts for Google Cloud; they have the names of those for AWS.
# Source: cloudpilot-ai/karpenter-provider-gcp v0.5.0, docs/getting-started/installation.md.
_GCP_REPOSITORY: Final = "karpenter-provider-gcp"

# Chart -> kinds it always installs. Sources: aws/karpenter-provider-aws v1.15.0 and the repository above,
# charts/karpenter-crd/templates; kubernetes-sigs/kueue v0.19.2, charts/kueue/templates/crd;
# SlinkyProject/slurm-operator v1.1.0, helm/slurm-operator-crds/templates.
_IN_TEMPLATES: Final = {
    "karpenter-crd": _ON_AWS,
    f"{_GCP_REPOSITORY}/karpenter-crd": _ON_GCP,
    "kueue": _QUEUES,
    "slurm-operator-crds": frozenset(
        f"slinky.slurm.net:{kind}" for kind in ("Accounting", "Controller", "LoginSet", "NodeSet", "RestApi", "Token")
    ),
}
_NETWORK: Final = frozenset(
    {
        "k8s.cni.cncf.io:NetworkAttachmentDefinition",
        "mellanox.com:HostDeviceNetwork",
        "mellanox.com:IPoIBNetwork",
        "mellanox.com:MacvlanNetwork",
        "mellanox.com:NicClusterPolicy",
        "mellanox.com:NicNodePolicy",
    }
)
# Chart -> kinds in its folder crds/, which Helm leaves out on request. Sources: the same, charts/karpenter/crds;
# Mellanox/network-operator v26.4.0, deployment/network-operator/crds; NVIDIA/gpu-operator v26.3.3,
# deployments/gpu-operator/crds; kubernetes-sigs/jobset v0.12.0, charts/jobset/crds; kubeflow/trainer v2.2.1,
# charts/kubeflow-trainer/crds; kubernetes-sigs/lws v0.9.0, charts/lws/crds.
_IN_CRDS: Final = {
    "karpenter": _ON_AWS,
    f"{_GCP_REPOSITORY}/karpenter": _ON_GCP,
    "gpu-operator": frozenset({"nvidia.com:ClusterPolicy", "nvidia.com:NVIDIADriver"}),
    "jobset": frozenset({"jobset.x-k8s.io:JobSet"}),
    "kubeflow-trainer": frozenset(
        f"trainer.kubeflow.org:{kind}" for kind in ("ClusterTrainingRuntime", "TrainJob", "TrainingRuntime")
    ),
    "lws": frozenset({"disaggregatedset.x-k8s.io:DisaggregatedSet", "leaderworkerset.x-k8s.io:LeaderWorkerSet"}),
    "network-operator": _NETWORK,
}
# Kinds of Node Feature Discovery, which both operators include unless `nfd.enabled` is false. Source: the same,
# charts/node-feature-discovery/crds.
_DISCOVERY: Final = frozenset(
    {"nfd.k8s-sigs.io:NodeFeature", "nfd.k8s-sigs.io:NodeFeatureGroup", "nfd.k8s-sigs.io:NodeFeatureRule"}
)
_WITH_DISCOVERY: Final = frozenset({"gpu-operator", "network-operator"})
# Charts without any. Sources: aws/eks-charts, stable/aws-efa-k8s-device-plugin; NVIDIA/k8s-device-plugin,
# deployments/helm/nvidia-device-plugin; NVIDIA/dcgm-exporter, deployment; opencost/opencost-helm-chart,
# charts/opencost; open-telemetry/opentelemetry-helm-charts, charts/opentelemetry-collector; prometheus-community/
# helm-charts, charts/kube-state-metrics; SlinkyProject/slurm-operator v1.1.0, helm/slurm-operator (by crds.enabled).
_WITHOUT: Final = frozenset(
    {
        "aws-efa-k8s-device-plugin",
        "dcgm-exporter",
        "kube-state-metrics",
        "nvidia-device-plugin",
        "opencost",
        "opentelemetry-collector",
        "slurm-operator",
    }
)


def chart_of(entry: Entry) -> str:
    """The chart of a release, without its repository."""
    return _chart(entry.inputs)


def _chart(release: Mapping[str, Any]) -> str:
    return str(release.get("chart")).rstrip("/").rsplit("/", 1)[-1]


def known_chart(release: Mapping[str, Any]) -> str:
    """The name of a release's chart in these tables. release: its inputs."""
    repository = str(mapping(release.get("repositoryOpts")).get("repo") or release.get("chart"))
    return f"{_GCP_REPOSITORY}/{_chart(release)}" if _GCP_REPOSITORY in repository else _chart(release)


def is_defined(ledger: Ledger, server: str, group: str, kind: str) -> bool:
    """Whether the cluster may have this kind; a chart in no table may have installed any kind except those of the
    tables.
    """
    wanted = f"{group}:{kind}"
    if any(is_defined_by(entry, group, kind) for entry in ledger.find("kubernetes", server, DEFINITION)):
        return True
    releases = ledger.find("kubernetes", server, RELEASE)
    cluster = cluster_at(ledger, server)
    if wanted in aks.kinds_of(cluster) | gke.kinds_of(cluster) or any(
        wanted in kinds_of_release(entry.inputs) for entry in releases
    ):
        return True
    in_tables = any(
        wanted in kinds for kinds in (aks.KINDS, gke.KINDS, _DISCOVERY, *_IN_TEMPLATES.values(), *_IN_CRDS.values())
    )
    return not in_tables and any(not is_in_tables(known_chart(entry.inputs)) for entry in releases)


def is_defined_by(entry: Entry, group: str, kind: str) -> bool:
    """Whether a definition of the program is of this kind."""
    spec = mapping(entry.inputs.get("spec"))
    return (spec.get("group"), mapping(spec.get("names")).get("kind")) == (group, kind)


def kinds_of_release(release: Mapping[str, Any]) -> frozenset[str]:
    """The kinds that a release defines, as `group:kind`. release: its inputs."""
    chart = known_chart(release)
    skipped = release.get("skipCrds") is True
    none, values = frozenset[str](), mapping(release.get("values"))
    discovers = chart in _WITH_DISCOVERY and mapping(values.get("nfd")).get("enabled") is not False
    in_crds = _IN_CRDS.get(chart, none) | (_DISCOVERY if discovers else none)
    return _IN_TEMPLATES.get(chart, none) | (none if skipped else in_crds)


def is_in_tables(chart: str) -> bool:
    """Whether the tables contain this chart."""
    return chart in _IN_TEMPLATES or chart in _IN_CRDS or chart in _WITHOUT
