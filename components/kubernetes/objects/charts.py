"""The Helm charts in use, each pinned: `charts.csv`.

========================= =============================================================================================
column                    meaning
========================= =============================================================================================
`chart`, `repository`     as Helm names them; no repository if `chart` is a full OCI reference
`image`                   of the chart in a mirror, which keeps the path of its usual registry
`image_value`             the value of the chart that names it; `registry` if the chart adds the path itself
`source`, `as_of`         source and date of the version; values are those of its values.yaml
========================= =============================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.catalog.tables import read_rows

CHART_SET: Final = "2026-11.2"
"""Name of the whole set of charts in a spec. A new version of any chart makes a new set. No date: YAML reads one."""


@dataclass(frozen=True, kw_only=True)
class Chart:
    """image, image_value: None if the image never comes from a mirror."""

    name: str
    chart: str
    version: str
    repository: str | None
    image: str | None
    image_value: str | None
    source: str
    as_of: str

    def image_from(self, registry: str) -> dict[str, Any]:
        """Values that pull its image from a mirror."""
        if self.image_value is None:
            raise ValueError(f"charts.csv names no image of {self.name}")
        *path, last = self.image_value.split(".")
        values: dict[str, Any] = {last: registry if last == "registry" else f"{registry}/{self.image}"}
        for key in reversed(path):
            values = {key: values}
        return values


CHARTS: Final = {
    row["name"]: Chart(**{column: value or None for column, value in row.items()})  # pyright: ignore[reportArgumentType]
    for row in read_rows("components/kubernetes/charts.csv")
}

KARPENTER: Final = CHARTS["karpenter"]
KARPENTER_CRD: Final = CHARTS["karpenter-crd"]
KARPENTER_GCP: Final = CHARTS["karpenter-gcp"]
KARPENTER_GCP_CRD: Final = CHARTS["karpenter-gcp-crd"]
# Versions of Kueue, JobSet and Trainer must match: Kueue counts the pods of a TrainJob by Trainer's own code, of the
# version in its go.mod, and starts it by `runtimePatches`, known to Trainer from 2.2 on. Trainer 2.3 merges a job's
# resources into the runtime's, 2.2 replaces them: Kueue 0.19 would count no GPU where a pod of 2.3 has one. Kueue 0.20
# counts as 2.3 does. JobSet is the one of Kueue's go.mod, with which its tests run Trainer 2.2.1.
# Sources: go.mod, pkg/controller/jobs/trainjob and hack/testing/e2e-common.sh of kubernetes-sigs/kueue v0.19.2, and its
# CHANGELOG/CHANGELOG-0.20.md (#14504); pkg/runtime/core/trainingruntime.go of kubeflow/trainer v2.2.1 and v2.3.0.
KUEUE: Final = CHARTS["kueue"]
JOBSET: Final = CHARTS["jobset"]
TRAINER: Final = CHARTS["trainer"]
# Of the same go.mod. Not in the set: a cluster has it only on request.
LWS: Final = CHARTS["lws"]
# On request as well. Slurm's images are those of the chart `slurm` of the same release.
SLURM_CRDS: Final = CHARTS["slurm-operator-crds"]
SLURM: Final = CHARTS["slurm-operator"]
EFA_DEVICE_PLUGIN: Final = CHARTS["efa-device-plugin"]
NVIDIA_DEVICE_PLUGIN: Final = CHARTS["nvidia-device-plugin"]
# Alerts and dashboards read the label Hostname, which the next release calls hostname (NVIDIA/dcgm-exporter d5e5f51).
DCGM_EXPORTER: Final = CHARTS["dcgm-exporter"]
# Matching versions of these two and of the network cards' driver: components/azure/pools/gpu_software.py.
NETWORK_OPERATOR: Final = CHARTS["network-operator"]
GPU_OPERATOR: Final = CHARTS["gpu-operator"]
COLLECTOR: Final = CHARTS["collector"]
OPENCOST: Final = CHARTS["opencost"]
KUBE_STATE_METRICS: Final = CHARTS["kube-state-metrics"]


# Google's own registry, for images that run only on Google Cloud: its network reaches it without internet access.
# Source: VPC documentation, "Private Google Access".
_NEAR: Final = "us-docker.pkg.dev/"


def mirrored(image: str, registry: str | None) -> str:
    """An image's name in a mirror, which keeps the path of its usual registry; unchanged without a mirror."""
    return image if registry is None or image.startswith(_NEAR) else f"{registry}/{image.partition('/')[2]}"
