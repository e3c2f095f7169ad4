"""Maximum of pods per EKS node: `eks_pods.csv`.

Columns: interfaces of its first network card, IPv4 addresses of each. Nodes of machines outside the
table use the kubelet's default.
Source: awslabs/amazon-eks-ami 81fec2e8, nodeadm/internal/kubelet/eni_max_pods.go.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Final

from gpucluster.catalog.rows import rows

_KUBELET: Final = 110


def eks_pods(machine_type: str) -> int:
    """Maximum pods of a node: an address for each except the first of an interface, and two that need none."""
    return _table().get(machine_type, _KUBELET)


@functools.cache
def _table() -> Mapping[str, int]:
    return {row["machine_type"]: int(row["interfaces"]) * (int(row["addresses"]) - 1) + 2 for row in rows("eks_pods")}
