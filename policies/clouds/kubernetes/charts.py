"""NVIDIA's charts among the Helm releases of a stack, and the features they enable.

Sources: NVIDIA/gpu-operator, `deployments/gpu-operator/values.yaml` (driver, toolkit, devicePlugin and nfd are enabled
by default); Mellanox/network-operator, `deployment/network-operator/values.yaml` (nfd is enabled).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.program.resources import Resource, Resources, Unknown
from gpucluster.core.program.values import at, flag, text

RELEASE: Final = "kubernetes:helm.sh/v3:Release"
RELEASES: Final = (RELEASE, "kubernetes:helm.sh/v4:Chart")

_GPU_OPERATOR: Final = "gpu-operator"
_NETWORK_OPERATOR: Final = "network-operator"
_DEVICE_PLUGIN: Final = "nvidia-device-plugin"


@dataclass(frozen=True)
class Chart:
    """A release of a chart; `values` are its overrides."""

    resource: Resource

    @property
    def values(self) -> Any:
        return at(self.resource.inputs, "values")

    def on(self, *path: str) -> bool | Unknown:
        """Whether a part is enabled: the default, unless the values disable it."""
        given = flag(self.values, *path, "enabled")
        return True if given is None else given


def gpu_operators(resources: Resources) -> list[Chart]:
    """Releases of the GPU Operator."""
    return list(_named(resources, _GPU_OPERATOR))


def device_plugins(resources: Resources) -> list[Chart]:
    """Charts that offer nvidia.com/gpu to pods: the device plugin's own, and the GPU Operator's part."""
    parts = (chart for chart in gpu_operators(resources) if chart.on("devicePlugin") is True)
    return [*_named(resources, _DEVICE_PLUGIN), *parts]


def nfd_bringers(resources: Resources) -> list[Chart]:
    """Charts that install node feature discovery."""
    every = (*_named(resources, _GPU_OPERATOR), *_named(resources, _NETWORK_OPERATOR))
    return [chart for chart in every if chart.on("nfd") is True]


def _named(resources: Resources, name: str) -> Iterator[Chart]:
    for resource in resources.of_type(*RELEASES):
        chart = text(resource.inputs, "chart")
        if isinstance(chart, str) and chart.rpartition("/")[2] == name:
            yield Chart(resource)
