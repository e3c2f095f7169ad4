"""GPUs and vCPUs of machine types, to turn a limit in GPUs into machines.

Source: Karpenter AWS provider v1.14.1, reference/instance-types.md (2026-08-21).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["MACHINES", "Machine"]


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine type: number of GPUs, their model, number of vCPUs."""

    gpus: int
    gpu: str
    vcpus: int


MACHINES: Final = {
    "p4d.24xlarge": Machine(8, "a100", 96),
    "p4de.24xlarge": Machine(8, "a100", 96),
    "p5.4xlarge": Machine(1, "h100", 16),
    "p5.48xlarge": Machine(8, "h100", 192),
    "p5e.48xlarge": Machine(8, "h200", 192),
    "p5en.48xlarge": Machine(8, "h200", 192),
    "p6-b200.48xlarge": Machine(8, "b200", 192),
    "p6-b300.48xlarge": Machine(8, "b300", 192),
}
