"""The Helm charts in use, each pinned, with the place its version was read."""

from __future__ import annotations

from typing import Final

from gpucluster.record import record

__all__ = [
    "CHART_SET",
    "DCGM_EXPORTER",
    "EFA_DEVICE_PLUGIN",
    "GPU_OPERATOR",
    "JOBSET",
    "KARPENTER",
    "KARPENTER_CRD",
    "KARPENTER_GCP",
    "KARPENTER_GCP_CRD",
    "KUEUE",
    "NETWORK_OPERATOR",
    "NVIDIA_DEVICE_PLUGIN",
    "TRAINER",
    "Chart",
]

CHART_SET: Final = "2026-11"
"""What all of these together are called in a spec. Another version of any of them is another set."""


@record(kw_only=True)
class Chart:
    """repository: None where `chart` is a full OCI reference.

    source, as_of: where and when the version was read.
    """

    chart: str
    version: str
    repository: str | None
    source: str
    as_of: str


KARPENTER_CRD = Chart(
    chart="oci://public.ecr.aws/karpenter/karpenter-crd",
    version="1.14.1",
    repository=None,
    source="aws/karpenter-provider-aws v1.14.1, charts/karpenter-crd",
    as_of="2026-08-21",
)
KARPENTER = Chart(
    chart="oci://public.ecr.aws/karpenter/karpenter",
    version="1.14.1",
    repository=None,
    source="aws/karpenter-provider-aws v1.14.1, charts/karpenter",
    as_of="2026-08-21",
)
_KARPENTER_GCP = "https://cloudpilot-ai.github.io/karpenter-provider-gcp"
KARPENTER_GCP_CRD = Chart(
    chart="karpenter-crd",
    version="0.5.0",
    repository=_KARPENTER_GCP,
    source="cloudpilot-ai/karpenter-provider-gcp v0.5.0, charts/karpenter-crd, docs/getting-started/installation.md",
    as_of="2026-07-06",
)
KARPENTER_GCP = Chart(
    chart="karpenter",
    version="0.5.0",
    repository=_KARPENTER_GCP,
    source="cloudpilot-ai/karpenter-provider-gcp v0.5.0, charts/karpenter, docs/getting-started/installation.md",
    as_of="2026-07-06",
)
# Kueue, JobSet and Trainer belong together: Kueue starts a TrainJob from 0.17 on by `runtimePatches`, known to Trainer
# from 2.2 on; a Trainer that knows only the way before, `podTemplateOverrides`, would never start a job.
# Sources: go.mod and pkg/controller/jobs/trainjob of kubernetes-sigs/kueue v0.16.6 and v0.19.2, whose go.mod names
# jobset v0.12.0; go.mod and charts/kubeflow-trainer/Chart.yaml of kubeflow/trainer v2.3.0.
KUEUE = Chart(
    chart="oci://registry.k8s.io/kueue/charts/kueue",
    version="0.19.2",
    repository=None,
    source="kubernetes-sigs/kueue v0.19.2, charts/kueue/README.md",
    as_of="2026-08-20",
)
JOBSET = Chart(
    chart="oci://registry.k8s.io/jobset/charts/jobset",
    version="0.12.0",
    repository=None,
    source="kubernetes-sigs/jobset v0.12.0, charts/jobset/README.md; the version kubeflow/trainer v2.3.0 depends on",
    as_of="2026-05-08",
)
TRAINER = Chart(
    chart="oci://ghcr.io/kubeflow/charts/kubeflow-trainer",
    version="2.3.0",
    repository=None,
    source="kubeflow/trainer v2.3.0, charts/kubeflow-trainer/README.md",
    as_of="2026-08-06",
)
EFA_DEVICE_PLUGIN = Chart(
    chart="aws-efa-k8s-device-plugin",
    version="v0.5.30",
    repository="https://aws.github.io/eks-charts",
    source="aws/eks-charts, stable/aws-efa-k8s-device-plugin (app v0.5.20)",
    as_of="2026-08-03",
)
NVIDIA_DEVICE_PLUGIN = Chart(
    chart="nvidia-device-plugin",
    version="0.18.2",
    repository="https://nvidia.github.io/k8s-device-plugin",
    source="NVIDIA/k8s-device-plugin, deployments/helm/nvidia-device-plugin",
    as_of="2026-11-21",
)
# Alerts and dashboards read the label Hostname, which the next release calls hostname (NVIDIA/dcgm-exporter d5e5f51).
DCGM_EXPORTER = Chart(
    chart="dcgm-exporter",
    version="4.8.2",
    repository="https://nvidia.github.io/dcgm-exporter/helm-charts",
    source="NVIDIA/dcgm-exporter, gh-pages helm-charts/index.yaml; deployment/ at 4.5.3-4.8.2",
    as_of="2026-05-12",
)
_NGC = "https://helm.ngc.nvidia.com/nvidia"
# Which of these two, and which driver of the network cards, belong together: components/azure/gpu_versions.py.
NETWORK_OPERATOR = Chart(
    chart="network-operator",
    version="26.4.0",
    repository=_NGC,
    source="Mellanox/network-operator v26.4.0, deployment/network-operator; Azure/aks-rdma-infiniband, deploy-aks.sh",
    as_of="2026-07-16",
)
GPU_OPERATOR = Chart(
    chart="gpu-operator",
    version="v26.3.3",
    repository=_NGC,
    source="NVIDIA/gpu-operator v26.3.3, deployments/gpu-operator; Azure/aks-rdma-infiniband, deploy-aks.sh",
    as_of="2026-07-16",
)
