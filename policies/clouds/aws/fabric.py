"""EFA of the accelerated machine types.

Columns: network cards, cards that carry an EFA, network interfaces a card takes, GPUs.
Sources: EC2 user guide, page `efa-acc-inst-types`, for the layout: one EFA per network card; card 0 device 0 is the IP
interface and never efa-only. aws/karpenter-provider-aws v1.14.1 (2026-08-21), `zz_generated.vpclimits.go` and
`instance-types.md`, for cards, interfaces per card and GPUs. awslabs/awsome-distributed-ai (2026-07-23),
`add-cng-p6-b300.yaml`, for p6-b300, whose card 0 has no EFA.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["FABRIC", "Fabric", "gpu_of", "has_gpus"]

# EC2 instance type naming conventions: families P and G have GPUs.
_GPU_FAMILIES: Final = re.compile(r"(?:p|g|gr)\d")


@dataclass(frozen=True)
class Fabric:
    cards: int
    efa_cards: tuple[int, ...]
    interfaces_per_card: int
    gpus: int

    @property
    def whole_node(self) -> bool:
        """Whether it holds the eight GPUs of one NVLink domain: several of them are bought to train together."""
        return self.gpus == 8


FABRIC: Final[dict[str, Fabric]] = {
    "p5.48xlarge": Fabric(32, tuple(range(32)), 2, 8),
    "p5e.48xlarge": Fabric(32, tuple(range(32)), 2, 8),
    "p5en.48xlarge": Fabric(16, tuple(range(16)), 4, 8),
    "p5.4xlarge": Fabric(1, (0,), 4, 1),
    "p4d.24xlarge": Fabric(4, tuple(range(4)), 15, 8),
    "p4de.24xlarge": Fabric(4, tuple(range(4)), 15, 8),
    "p6-b200.48xlarge": Fabric(8, tuple(range(8)), 4, 8),
    "p6-b300.48xlarge": Fabric(17, tuple(range(1, 17)), 4, 8),
}


def has_gpus(machine: str) -> bool:
    """Whether machines of a type have GPUs, by its name."""
    return _GPU_FAMILIES.match(machine) is not None


_GPUS: Final = {
    "p5.": "H100 80 GB",
    "p5e.": "H200 141 GB",
    "p5en.": "H200 141 GB",
    "p4d.": "A100 40 GB",
    "p4de.": "A100 80 GB",
}


def gpu_of(machine: str) -> str | None:
    """The GPU of a machine type, where it has slices (EC2 page "Accelerated computing instances")."""
    return next((gpu for family, gpu in _GPUS.items() if machine.startswith(family)), None)
