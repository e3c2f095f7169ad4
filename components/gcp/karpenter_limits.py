"""Limits of Karpenter on Google Cloud, and notes for its users. Imports no Pulumi.

Source: cloudpilot-ai/karpenter-provider-gcp v0.5.0, pkg/providers/instance/instance.go (neither placement, reservation,
Flex-start, MIG nor a choice of network card) and pkg/apis/v1alpha1/gcenodeclass.go (7 more interfaces at most); issues
#239, #385, #387.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gpucluster.catalog.sold import flexible_only
from gpucluster.components.elastic import karpenter_purchase_problems
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import shapes

_MODEL: Final = "h100"
_MOST_NETWORKS: Final = 7
_NATIVE: Final = "write elastic.engine: native"

KARPENTER_NOTE: Final = (
    "elastic pools: Karpenter on Google Cloud is experimental, a community provider (karpenter-provider-gcp) without "
    "GPU networks, placement, reservations, flex-start, MIG or local SSDs, so emptyDir is on the boot disk; "
    "elastic.engine: native uses GKE's autoscaler"
)


def karpenter_problems(machine_type: str, *, pool: str, purchase: Sequence[str]) -> list[Problem]:
    """Why Karpenter can't run such a pool, in the terms of the spec; empty if it can.

    pool: its name. purchase: on-demand, spot, flex-start or reserved.
    """
    problems: list[Problem] = []
    allowed = _machines()
    if machine_type not in allowed:
        problems.append(
            Problem(
                "elastic.engine",
                f"is 'karpenter', which on Google Cloud can't start {machine_type} with its GPU networks",
                f"allowed: {', '.join(allowed)}; {_NATIVE}",
            )
        )
    if flexible_only(machine_type) and "on-demand" in purchase:
        problems.append(
            Problem(
                f"elastic.pools.{pool}.purchase",
                f"has on-demand, and {machine_type} is sold as spot or flex-start only",
                "with karpenter write [spot]",
            )
        )
    return problems + karpenter_purchase_problems(pool, purchase, cloud="Google Cloud", fix=_NATIVE)


def _machines() -> list[str]:
    """H100 machines whose GPU networks Karpenter can configure, the small ones first."""
    rows = [row for row in shapes() if (row.cloud, row.model) == ("gcp", _MODEL)]
    fitting = [row for row in rows if row.network_cards <= _MOST_NETWORKS]
    return [row.machine_type for row in sorted(fitting, key=lambda row: row.gpus)]
