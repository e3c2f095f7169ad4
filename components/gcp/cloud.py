"""Google Cloud as the rest of the project sees it. Imports no Pulumi until a cluster is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpucluster.components.cloud import Cloud
from gpucluster.components.elastic import pool_rows
from gpucluster.components.gcp.location import first_zone, parse_location
from gpucluster.components.gcp.lustre import LustrePlan
from gpucluster.components.gcp.plan import GcpClusterPlan, config_problems, plan_cluster, plan_problems
from gpucluster.components.mounted import MountedPlan
from gpucluster.components.names import ELASTIC

if TYPE_CHECKING:
    from gpucluster.components.outputs import Cluster


def _parts(plan: GcpClusterPlan) -> list[tuple[str, str]]:
    storage, elastic, mig = plan.storage, plan.elastic, plan.mig
    return [
        (
            "storage",
            f"Managed Lustre {storage.capacity_gib:,} GiB for {storage.usable_gib:,} GiB of data, "
            f"{storage.gb_per_s:.1f} GB/s"
            if isinstance(storage, LustrePlan)
            else f"yours, {storage.files.id}, for {storage.usable_gib:,} GiB of data"
            if isinstance(storage, MountedPlan)
            else f"bucket for {storage.usable_gib:,} GiB of data",
        ),
        (
            "home",
            f"Filestore for small files, {plan.home.capacity_gib:,} GiB for {plan.home.expected_gib} GiB"
            if plan.home
            else "none",
        ),
        *(
            pool_rows(
                "Karpenter" if elastic.engine == "karpenter" else "GKE ComputeClass", elastic.shape, elastic.pools
            )
            if elastic
            else [(ELASTIC, "none")]
        ),
        ("MIG", f"{mig.nodes} x {mig.shape.machine_type}: {mig.pool.slices[mig.size]} x {mig.size}" if mig else "none"),
    ]


def _declare(plan: GcpClusterPlan) -> Cluster:
    # Imported here: an SDK takes seconds, and a refused plan needs none.
    import pulumi

    from gpucluster.components.gcp.cluster import TrainingCluster
    from gpucluster.components.gcp.provider import provider

    return TrainingCluster(plan.name, plan, pulumi.ResourceOptions(providers=[provider("gcp", plan.location)]))


CLOUD = Cloud(
    name="gcp",
    service="GKE",
    keys={"project": "my-project", "region": "us-central1", "zone": "us-central1-b"},
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
