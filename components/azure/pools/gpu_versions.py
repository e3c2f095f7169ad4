"""Matching versions of the two operators, of the network cards' driver and of their device plugin.

The Network Operator accepts any driver and plugin, and its images have moved between releases: a mixture starts, and
fails on the machines (Azure/aks-rdma-infiniband pull request 120). So the four change together.
"""

from collections.abc import Mapping
from typing import Final

from gpucluster.components.kubernetes.objects.charts import GPU_OPERATOR, NETWORK_OPERATOR

# Sources: Mellanox/network-operator v26.4.0, hack/release.yaml (Mofed, SriovDevicePlugin); for the GPU Operator
# Azure/aks-rdma-infiniband 700dabb, tests/setup-infra/deploy-aks.sh.
VERSIONS: Final[Mapping[str, str]] = {
    "network_operator": NETWORK_OPERATOR.version,
    "doca_driver": "doca3.4.0-26.04-0.8.6.0-0",
    "device_plugin": "network-operator-v26.4.0",
    "gpu_operator": GPU_OPERATOR.version,
}
