"""GPUs, vCPUs and bundled disks of machine types, to turn a limit in GPUs into machines.

Sources: Karpenter AWS provider v1.14.1, reference/instance-types.md (2026-08-21); Google Cloud's price page for
accelerator-optimized machines (2026-10) and Compute Engine documentation, Accelerator-optimized machine family; Azure
Compute documentation, size series NDH100v5, ND-H200-v5, NCadsH100v5, NDmA100v4, NDasrA100v4.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

__all__ = ["MACHINES", "Machine", "machine_with"]


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine type: number of GPUs, their model, number of vCPUs.

    provider: price book file. accelerator: what GKE calls its GPUs. bundled_ssd: whether its price includes its local
    SSDs, which cannot be left out. temp_gib: GiB of the temporary disk of an Azure size, which may hold its system.
    """

    gpus: int
    gpu: str
    vcpus: int
    provider: str = "aws"
    accelerator: str = ""
    bundled_ssd: bool = False
    temp_gib: int = 0


def _azure(gpus: int, gpu: str, vcpus: int, temp_gib: int) -> Machine:
    return Machine(gpus, gpu, vcpus, "azure", temp_gib=temp_gib)


def _google(gpus: int, gpu: str, vcpus: int, accelerator: str, *, bundled_ssd: bool = True) -> Machine:
    return Machine(gpus, gpu, vcpus, "gcp", f"nvidia-{accelerator}", bundled_ssd)


MACHINES: Final = {
    "p4d.24xlarge": Machine(8, "a100", 96),
    "p4de.24xlarge": Machine(8, "a100", 96),
    "p5.4xlarge": Machine(1, "h100", 16),
    "p5.48xlarge": Machine(8, "h100", 192),
    "p5e.48xlarge": Machine(8, "h200", 192),
    "p5en.48xlarge": Machine(8, "h200", 192),
    "p6-b200.48xlarge": Machine(8, "b200", 192),
    "p6-b300.48xlarge": Machine(8, "b300", 192),
    "a2-highgpu-1g": _google(1, "a100", 12, "tesla-a100", bundled_ssd=False),
    "a2-highgpu-4g": _google(4, "a100", 48, "tesla-a100", bundled_ssd=False),
    "a2-highgpu-8g": _google(8, "a100", 96, "tesla-a100", bundled_ssd=False),
    "a2-ultragpu-1g": _google(1, "a100", 12, "a100-80gb"),
    "a2-ultragpu-4g": _google(4, "a100", 48, "a100-80gb"),
    "a2-ultragpu-8g": _google(8, "a100", 96, "a100-80gb"),
    "a3-highgpu-1g": _google(1, "h100", 26, "h100-80gb"),
    "a3-highgpu-2g": _google(2, "h100", 52, "h100-80gb"),
    "a3-highgpu-4g": _google(4, "h100", 104, "h100-80gb"),
    "a3-highgpu-8g": _google(8, "h100", 208, "h100-80gb"),
    "a3-megagpu-8g": _google(8, "h100", 208, "h100-mega-80gb"),
    "a3-ultragpu-8g": _google(8, "h200", 224, "h200-141gb"),
    "a4-highgpu-8g": _google(8, "b200", 224, "b200"),
    "Standard_NC40ads_H100_v5": _azure(1, "h100", 40, 3576),
    "Standard_NC80adis_H100_v5": _azure(2, "h100", 80, 7152),
    "Standard_ND96is_H100_v5": _azure(8, "h100", 96, 1024),
    "Standard_ND96isr_H100_v5": _azure(8, "h100", 96, 1024),
    "Standard_ND96isr_H200_v5": _azure(8, "h200", 96, 1024),
    "Standard_ND96amsr_A100_v4": _azure(8, "a100", 96, 6400),
    "Standard_ND96asr_v4": _azure(8, "a100", 96, 6000),
}


def machine_with(accelerator: str, gpus: Decimal) -> str | None:
    """The machine that GKE makes for a number of GPUs of its type `accelerator`, None where it has none known here."""
    found = (name for name, machine in MACHINES.items() if (machine.accelerator, machine.gpus) == (accelerator, gpus))
    return next(found, None)
