"""Which versions of the two operators, of the network cards' driver and of their device plugin belong together.

The Network Operator takes any driver and plugin it is given, and its images have moved between releases: a mixture
starts, and fails on the machines (Azure/aks-rdma-infiniband pull request 120).
"""

from collections.abc import Mapping
from typing import Final, Self

from pydantic import model_validator

from gpucluster.components.kubernetes.charts import GPU_OPERATOR, NETWORK_OPERATOR
from gpucluster.components.kubernetes.objects import Part, Text

__all__ = ["VERSIONS", "GpuVersions"]

# Network Operator -> driver and plugin of its release, and the GPU Operator that runs with it on AKS.
# Sources: Mellanox/network-operator, hack/release.yaml of each tag (Mofed, SriovDevicePlugin); for the GPU Operator
# Azure/aks-rdma-infiniband 700dabb, tests/setup-infra/deploy-aks.sh (26.4.0), and Azure/ai-infrastructure-on-azure
# a01b073, infrastructure_references/aks/scripts/deploy-aks.sh (26.1.0).
_RELEASES: Final[Mapping[str, tuple[str, str, str]]] = {
    "26.4.0": ("doca3.4.0-26.04-0.8.6.0-0", "network-operator-v26.4.0", "v26.3.3"),
    "26.1.0": ("doca3.3.0-26.01-1.0.0.0-0", "network-operator-v26.1.0", "v26.3.0"),
}


class GpuVersions(Part):
    """network_operator, gpu_operator: of the charts. doca_driver, device_plugin: of the images."""

    network_operator: Text
    doca_driver: Text
    device_plugin: Text
    gpu_operator: Text

    @model_validator(mode="after")
    def versions_belong_together(self) -> Self:
        seen = (self.doca_driver, self.device_plugin, self.gpu_operator)
        if _RELEASES.get(self.network_operator) != seen:
            sets = "; ".join(_said(release, *others) for release, others in _RELEASES.items())
            raise ValueError(f"has {_said(self.network_operator, *seen)}; allowed: {sets}; write one of these")
        return self


def _said(network_operator: str, driver: str, plugin: str, gpu_operator: str) -> str:
    return f"network-operator {network_operator} with driver {driver}, plugin {plugin}, gpu-operator {gpu_operator}"


VERSIONS: Final = GpuVersions(
    network_operator=NETWORK_OPERATOR.version,
    doca_driver="doca3.4.0-26.04-0.8.6.0-0",
    device_plugin="network-operator-v26.4.0",
    gpu_operator=GPU_OPERATOR.version,
)
