"""Subscription quotas that a cluster needs; a plan can't look up their current values. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.azure.location import Location
from gpucluster.components.azure.planning.pools import ElasticPlan, MigPlan
from gpucluster.components.azure.planning.storage import LustrePlan, SharedPlan
from gpucluster.components.azure.planning.training import TrainingPlan
from gpucluster.components.azure.settings import SystemPlan
from gpucluster.components.planning.planning import Planning
from gpucluster.core.catalog.machines import Machine


def report_quotas(
    planning: Planning[Location],
    training: TrainingPlan,
    elastic: ElasticPlan | None = None,
    mig: MigPlan | None = None,
    *,
    system: SystemPlan | None = None,
    storage: SharedPlan | None = None,
) -> None:
    """The quotas that decide whether a cluster starts, with the required amounts, in one line.

    Each family also counts against the whole region; spot has a separate quota, and a capacity block needs none. The
    quota of the CPU nodes starts at 0 or 10 in many subscriptions. Sources: Azure documentation, "Check vCPU quotas";
    langchain-ai/terraform issue 261; NVIDIA/aicr pull request 1709.
    """
    pools = [] if training.block_nodes is not None else [(training.shape, training.size)]
    spot: list[tuple[Machine, int]] = []
    if elastic is not None:
        pools += [(elastic.shape, nodes)] if (nodes := elastic.bought("on-demand")) else []
        spot += [(elastic.shape, nodes)] if (nodes := elastic.bought("spot")) else []
    if mig is not None:
        (spot if mig.spot else pools).append((mig.shape, mig.nodes))
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
    new = storage.capacity_tib if isinstance(storage, LustrePlan) else 0
    lustre = f"; also the Azure Managed Lustre quota for {new:,} TiB more" if new else ""
    planning.before_up.append(
        f"required quotas in {planning.location.region}, in vCPUs: {', '.join(parts)}{lustre}; quota is not capacity"
    )
