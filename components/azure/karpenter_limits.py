"""What node auto provisioning, AKS's Karpenter, can't carry. Imports no Pulumi.

Source: Azure/karpenter-provider-azure v1.14.2: pkg/providers/instance/vminstance.go (machines without a scale set or a
placement), pkg/providers/instancetype/instancetype.go (no rdma/ib, no slices), pkg/utils/supported-gpus.yaml; pull
requests 1529, 1834, 1839 (capacity reservations, open).
"""

from __future__ import annotations

from collections.abc import Sequence

from gpucluster.catalog.azure_sizes import has_infiniband
from gpucluster.components.problem import Problem

__all__ = ["karpenter_problems"]


def karpenter_problems(
    machine_types: Sequence[str],
    *,
    pool: str,
    purchase: Sequence[str],
    nodes_per_job: int = 1,
    partition: str | None = None,
    reservation: str | None = None,
    placement: bool = False,
) -> list[Problem]:
    """Why Karpenter can't have such a pool, in the words of the spec; empty where it can.

    pool: its name. nodes_per_job: above 1 for training over several nodes. partition: MIG size. reservation: its id.
    placement: whether the machines must stand close to each other.
    """

    def engine(why: str, fix: str) -> Problem:
        return Problem("elastic.engine", f"is 'karpenter', which on Azure {why}", fix)

    problems = [
        engine(
            f"starts machines outside any scale set, where {size} has no InfiniBand",
            "allowed: sizes without r; use the training pool",
        )
        for size in machine_types
        if has_infiniband(size)
    ]
    wrong = [kind for kind in purchase if kind not in ("on-demand", "spot")]
    if wrong:
        problems.append(
            Problem(
                f"elastic.pools.{pool}.purchase",
                f"has {', '.join(wrong)}, which elastic.engine karpenter can't buy on Azure",
                "allowed: on-demand, spot; choose from these",
            )
        )
    if nodes_per_job > 1:
        problems.append(
            engine(
                f"can't carry jobs over {nodes_per_job} nodes: its machines have no GPU fabric",
                "allowed: 1; use the training pool",
            )
        )
    if partition is not None:
        problems.append(engine(f"can't slice GPUs ({partition})", "allowed: whole GPUs; use mig"))
    if reservation is not None:
        problems.append(engine(f"can't use reservation {reservation!r}", "allowed: none; use the training pool"))
    if placement:
        problems.append(
            engine("can't keep machines close to each other", "allowed: no placement; use the training pool")
        )
    return problems
