"""How many pods an EKS node takes: `eks_pods.csv`.

Columns: interfaces that its first network card takes, IPv4 addresses of each. A node of a machine that is not in the
table takes what the kubelet takes by itself.
Source: awslabs/amazon-eks-ami 81fec2e8, nodeadm/internal/kubelet/eni_max_pods.go.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Final

from gpucluster.catalog.rows import rows

_KUBELET: Final = 110


def eks_pods(machine_type: str) -> int:
    """The most pods of a node: an address for each but the first of an interface, and two that need none."""
    return _table().get(machine_type, _KUBELET)


@functools.cache
def _table() -> Mapping[str, int]:
    return {row["machine_type"]: int(row["interfaces"]) * (int(row["addresses"]) - 1) + 2 for row in rows("eks_pods")}
