"""GPUs, local SSD and GPU networks of Google Cloud's accelerator machine types.

Sources: Compute Engine pages "GPU machine types" and "Accelerator-optimized machine family", for accelerators and local
SSD. cluster-toolkit v1.95.0 (2026-06-25): `examples/gke-a3-{highgpu,megagpu,ultragpu}`, for networks and MTU, and
`modules/compute/gke-node-pool/disk_definitions.tf`, for SSD counts. AI Hypercomputer page "Create a custom AI-optimized
GKE cluster which uses A4 or A3 Ultra", for their order. VPC page "RDMA network profiles", for the MTU there.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

__all__ = ["FABRIC", "ROCE_MTU", "Fabric", "Kind"]

ROCE_MTU: Final = 8896
_TCPX_MTU: Final = 8244


class Kind(enum.Enum):
    """How the GPUs of several nodes talk. NONE: over the machine's one network interface."""

    NONE = "none"
    TCPX = "GPUDirect-TCPX"
    TCPXO = "GPUDirect-TCPXO"
    ROCE = "GPUDirect RDMA over RoCE"


@dataclass(frozen=True)
class Fabric:
    """
    accelerator: what GKE calls the GPU.
    ssds: local SSDs that come with the machine; None where they are optional.
    """

    accelerator: str
    gpus: int
    ssds: int | None
    kind: Kind = Kind.NONE

    @property
    def whole_node(self) -> bool:
        """Whether it holds all GPUs of one NVLink domain: several of them are bought to train together."""
        return self.gpus >= 8

    @property
    def host_networks(self) -> int:
        """Additional networks that come before the GPUs' own."""
        return 1 if self.kind is Kind.ROCE else 0

    @property
    def gpu_networks(self) -> int:
        """Additional networks of the GPUs: VPCs, with RoCE subnets of one VPC."""
        return {Kind.NONE: 0, Kind.TCPX: 4, Kind.TCPXO: 8, Kind.ROCE: 8}[self.kind]

    @property
    def networks(self) -> int:
        return self.host_networks + self.gpu_networks

    @property
    def mtu(self) -> int:
        """What the GPU networks carry; with TCPX and TCPXO the cluster's own network too."""
        return ROCE_MTU if self.kind is Kind.ROCE else _TCPX_MTU


_H100: Final = "nvidia-h100-80gb"
_A100: Final = "nvidia-tesla-a100"
_A100_80: Final = "nvidia-a100-80gb"

FABRIC: Final[dict[str, Fabric]] = {
    "a3-highgpu-1g": Fabric(_H100, 1, 2),
    "a3-highgpu-2g": Fabric(_H100, 2, 4),
    "a3-highgpu-4g": Fabric(_H100, 4, 8),
    "a3-highgpu-8g": Fabric(_H100, 8, 16, Kind.TCPX),
    "a3-edgegpu-8g": Fabric(_H100, 8, 16, Kind.TCPX),
    "a3-edgegpu-8g-nolssd": Fabric(_H100, 8, 0, Kind.TCPX),
    "a3-megagpu-8g": Fabric("nvidia-h100-mega-80gb", 8, 16, Kind.TCPXO),
    "a3-ultragpu-8g": Fabric("nvidia-h200-141gb", 8, 32, Kind.ROCE),
    "a3-ultragpu-8g-nolssd": Fabric("nvidia-h200-141gb", 8, 0, Kind.ROCE),
    "a4-highgpu-8g": Fabric("nvidia-b200", 8, 32, Kind.ROCE),
    "a2-highgpu-1g": Fabric(_A100, 1, None),
    "a2-highgpu-2g": Fabric(_A100, 2, None),
    "a2-highgpu-4g": Fabric(_A100, 4, None),
    "a2-highgpu-8g": Fabric(_A100, 8, None),
    "a2-megagpu-16g": Fabric(_A100, 16, None),
    "a2-ultragpu-1g": Fabric(_A100_80, 1, 1),
    "a2-ultragpu-2g": Fabric(_A100_80, 2, 2),
    "a2-ultragpu-4g": Fabric(_A100_80, 4, 4),
    "a2-ultragpu-8g": Fabric(_A100_80, 8, 8),
}
