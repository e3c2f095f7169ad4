"""Images of charts for networks that can't reach their usual registries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.components.kubernetes.charts import (
    DCGM_EXPORTER,
    EFA_DEVICE_PLUGIN,
    JOBSET,
    KARPENTER,
    KARPENTER_GCP,
    KUEUE,
    NVIDIA_DEVICE_PLUGIN,
    TRAINER,
    Chart,
)

# Chart -> its image in a mirror, which keeps the path it has in its usual registry, and the value that names it.
# Sources: values.yaml of each chart in its pinned version.
MIRRORED: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    KARPENTER.chart: ("karpenter/controller", ("controller", "image", "repository")),
    KARPENTER_GCP.chart: ("cloudpilotai/gcp/karpenter", ("controller", "image", "repository")),
    NVIDIA_DEVICE_PLUGIN.chart: ("nvidia/k8s-device-plugin", ("image", "repository")),
    EFA_DEVICE_PLUGIN.chart: ("eks/aws-efa-k8s-device-plugin", ("image", "repository")),
    KUEUE.chart: ("kueue/kueue", ("controllerManager", "manager", "image", "repository")),
    JOBSET.chart: ("jobset/jobset", ("image", "repository")),
    DCGM_EXPORTER.chart: ("nvidia/k8s/dcgm-exporter", ("image", "repository")),
    "opencost": ("opencost/opencost", ("opencost", "exporter", "image", "registry")),
    "opentelemetry-collector": (
        "open-telemetry/opentelemetry-collector-releases/opentelemetry-collector-contrib",
        ("image", "repository"),
    ),
    TRAINER.chart: ("kubeflow/trainer/trainer-controller-manager", ("image", "registry")),
}


def image_values(chart: Chart, registry: str | None) -> dict[str, Any]:
    """Helm values that take a chart's image from a mirror; none without one."""
    if registry is None:
        return {}
    image, path = MIRRORED[chart.chart]
    # Where a chart names the registry by itself, it adds the path.
    values: Any = registry if path[-1] == "registry" else f"{registry}/{image}"
    for key in reversed(path):
        values = {key: values}
    return values
