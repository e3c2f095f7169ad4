"""MIG slices that GKE makes of each GPU.

Source: GoogleCloudPlatform/container-engine-accelerators (2026-06-11), `pkg/gpu/nvidia/mig/mig.go` and
`partition_gpu/partition_gpu.go`. The partitioner also knows 4g.40gb of an H100, but the device plugin refuses it.
"""

from __future__ import annotations

from typing import Final

__all__ = ["SLICES"]

_H100: Final = ("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "7g.80gb")

SLICES: Final[dict[str, tuple[str, ...]]] = {
    "nvidia-h100-80gb": _H100,
    "nvidia-h100-mega-80gb": _H100,
    "nvidia-h200-141gb": ("1g.18gb", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb"),
    "nvidia-tesla-a100": ("1g.5gb", "2g.10gb", "3g.20gb", "7g.40gb"),
    "nvidia-a100-80gb": ("1g.10gb", "2g.20gb", "3g.40gb", "7g.80gb"),
}
"""What GKE calls the GPU -> values of gpu_partition_size."""
