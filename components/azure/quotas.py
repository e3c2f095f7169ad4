"""Subscription quotas that a cluster needs; a plan can't look up their current values. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Sequence

from gpucluster.catalog.machines import Machine
from gpucluster.components.azure.lustre import LustrePlan
from gpucluster.components.azure.system import SystemPlan


def quota_note(
    pools: Sequence[tuple[Machine, int]],
    spot: Sequence[tuple[Machine, int]],
    *,
    region: str,
    system: SystemPlan | None = None,
    storage: LustrePlan | None = None,
) -> str:
    """The quotas that decide whether a cluster starts, with the required amounts, in one line.

    pools, spot: machines and their number. Each family also counts against the whole region; spot has a separate quota.
    The quota of the CPU nodes starts at 0 or 10 in many subscriptions. Sources: Azure documentation, "Check vCPU
    quotas"; langchain-ai/terraform issue 261; NVIDIA/aicr pull request 1709.
    """
    families: dict[str, int] = {}
    for shape, count in pools:
        families[shape.quota] = families.get(shape.quota, 0) + shape.vcpus * count
    if system is not None:
        family, vcpus = system.quota
        families[family] = families.get(family, 0) + vcpus
    parts = [f"{vcpus:,} of {name}" for name, vcpus in families.items()]
    parts.append(f"{sum(families.values()):,} of Total Regional vCPUs")
    if spot:
        parts.append(f"{sum(shape.vcpus * count for shape, count in spot):,} of Total Regional Spot vCPUs")
    lustre = "" if storage is None else f"; also the Azure Managed Lustre quota for {storage.capacity_tib:,} TiB more"
    return f"required quotas in {region}, in vCPUs: {', '.join(parts)}{lustre}; quota is not capacity"
