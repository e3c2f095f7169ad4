"""Limits of node auto provisioning, AKS's Karpenter. Imports no Pulumi.

Source: Azure/karpenter-provider-azure v1.14.2: pkg/providers/instance/vminstance.go (machines without a scale set or a
placement), pkg/providers/instancetype/instancetype.go (no rdma/ib, no slices), pkg/utils/supported-gpus.yaml; pull
requests 1529, 1834, 1839 (capacity reservations, open).
"""

from __future__ import annotations

from collections.abc import Sequence

from gpucluster.catalog.azure_sizes import has_infiniband
from gpucluster.components.elastic import karpenter_purchase_problems
from gpucluster.components.problem import Problem


def karpenter_problems(machine_types: Sequence[str], *, pool: str, purchase: Sequence[str]) -> list[Problem]:
    """Why Karpenter can't run such a pool, in the terms of the spec; empty if it can.

    pool: its name. purchase: on-demand, spot, flex-start or reserved.
    """
    problems = [
        Problem(
            "elastic.engine",
            f"is 'karpenter', which on Azure starts machines outside of scale sets, where {size} has no InfiniBand",
            "allowed: sizes without r; use the training pool",
        )
        for size in machine_types
        if has_infiniband(size)
    ]
    return problems + karpenter_purchase_problems(pool, purchase, cloud="Azure", fix="choose from these")
