"""What a cluster takes of the subscription's quotas, which a plan can't look up. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Sequence

from gpucluster.catalog.machines import Machine

__all__ = ["quota_note"]


def quota_note(
    pools: Sequence[tuple[Machine, int]], spot: Sequence[tuple[Machine, int]], *, system: int, region: str
) -> str:
    """The quotas that decide whether a cluster starts, with what it needs of each, in one line.

    pools, spot: machines and their number. system: vCPUs of CPU nodes. Each family counts against the whole region as
    well; spot has one quota of its own. Source: Azure documentation, "Check vCPU quotas".
    """
    families: dict[str, int] = {}
    for shape, count in pools:
        families[shape.quota] = families.get(shape.quota, 0) + shape.vcpus * count
    parts = [f"{vcpus:,} of {name}" for name, vcpus in families.items()]
    parts.append(f"{sum(families.values()) + system:,} of Total Regional vCPUs")
    if spot:
        parts.append(f"{sum(shape.vcpus * count for shape, count in spot):,} of Total Regional Spot vCPUs")
    return f"quotas to have in {region}, in vCPUs: {', '.join(parts)}; quota is not capacity"
