"""Node conditions of AKS' node problem detector that mark a broken node. Imports no Pulumi.

It checks GPUs and links only of pools whose driver AKS owns; for others, the number of working devices in the
operators' device plugins is the only information. AKS repairs no node for these conditions.
Source: MicrosoftDocs/azure-aks-docs 35ef8f3d, gpu-health-monitoring.md and node-problem-detector.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

CONDITIONS: Final[Sequence[Mapping[str, Any]]] = tuple(
    {"type": kind, "status": "True"} for kind in ("GPUMissing", "IBLinkFlapping", "NVLinkStatusInactive", "XIDErrors")
)
PEERMEM: Final = "gpucluster/peermem"
"""Label of a node on which the module for GPUDirect RDMA is loaded; Node Feature Discovery sets it
(`gpu_software.py`). A driver pod that restarts can't load a module that was lost meanwhile, until the node reboots
(NVIDIA/gpu-operator #2619). Jobs run on: NCCL uses DMA-BUF if it can (Azure/AKS PR 5975).
"""
LABELS: Final[Mapping[str, str]] = {PEERMEM: "nvidia_peermem has not been loaded"}
REPAIR: Final = "its machine stays until someone deletes and reports it"
