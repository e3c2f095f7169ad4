"""CPU and memory that kubelets reserve, by kind of image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

EVICTION_MIB: Final = 100
"""Free memory below which a kubelet evicts pods, MiB: 100 on EKS, GKE and AKS.

Sources: awslabs/amazon-eks-ami 81fec2e8, nodeadm/internal/kubelet/config.go; GKE documentation, "Plan GKE Standard node
sizes"; AKS documentation, "Node resource reservations".
"""

# Reserved thousandths of each part of the cores: of the first core, the second, the next two, and the rest.
# Sources: as above, for EKS and GKE.
_CORES: Final = ((1_000, 60), (2_000, 10), (4_000, 5), (None, 2.5))


def in_steps(amount: float, steps: Sequence[tuple[int | None, float]]) -> float:
    """The reserved part of an amount: so many thousandths of each part up to a bound."""
    kept, below = 0.0, 0
    for bound, share in steps:
        part = (amount if bound is None else min(amount, bound)) - below
        if part <= 0:
            break
        kept += part * share / 1_000
        below = bound or 0
    return kept


def steps_of_cores(vcpus: int) -> int:
    """Millicores that EKS and GKE reserve."""
    return int(in_steps(vcpus * 1_000, _CORES))
