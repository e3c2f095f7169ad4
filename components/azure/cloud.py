"""Azure as the rest of the project sees it. Imports no Pulumi until a cluster is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpucluster.components.azure.location import first_zone, parse_location
from gpucluster.components.azure.plan import AzureClusterPlan, config_problems, plan_cluster, plan_problems
from gpucluster.components.azure.settings import KEYS
from gpucluster.components.azure.shared import shared_part
from gpucluster.components.cloud import Cloud
from gpucluster.components.elastic import pool_rows
from gpucluster.components.names import ELASTIC

if TYPE_CHECKING:
    from gpucluster.components.azure.mig import MigPlan
    from gpucluster.components.outputs import Cluster

__all__ = ["CLOUD"]


def _parts(plan: AzureClusterPlan) -> list[tuple[str, str]]:
    elastic, mig = plan.elastic, plan.mig
    return [
        ("storage", shared_part(plan.storage)),
        (
            "home",
            f"Azure Files for small files, {plan.home.capacity_gib:,} GiB for {plan.home.expected_gib} GiB"
            if plan.home
            else "none",
        ),
        *(
            pool_rows(
                "node auto provisioning" if elastic.engine == "karpenter" else "cluster autoscaler",
                elastic.shape,
                elastic.pools,
            )
            if elastic
            else [(ELASTIC, "none")]
        ),
        ("MIG", f"{mig.nodes} x {mig.shape.machine_type}: {_slices(mig)}" if mig else "none"),
    ]


def _slices(mig: MigPlan) -> str:
    return ", ".join(f"{count} x {size}" for size, count in mig.pool.slices.items())


def _declare(plan: AzureClusterPlan) -> Cluster:
    # Imported here: an SDK takes seconds, and a refused plan needs none.
    import pulumi

    from gpucluster.components.azure.cluster import TrainingCluster
    from gpucluster.components.azure.provider import provider

    return TrainingCluster(plan.name, plan, pulumi.ResourceOptions(providers=[provider("azure", plan.location)]))


CLOUD = Cloud(
    name="azure",
    service="AKS",
    keys={"subscription": "00000000-0000-0000-0000-000000000000", "region": "eastus", "zone": "1"},
    optional=KEYS,
    zone_in=first_zone,
    parse_location=parse_location,
    config_problems=config_problems,
    plan_problems=plan_problems,
    plan_cluster=lambda spec, location, stack, machine, prices: plan_cluster(
        spec, location, stack=stack, machine=machine, prices=prices
    ),
    parts=_parts,
    declare=_declare,
)
