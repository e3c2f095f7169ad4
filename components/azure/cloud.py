"""Azure, as the interface for the rest of the project. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.azure.location import first_zone, parse_location
from gpucluster.components.azure.planning.plan import AzureClusterPlan, plan_cluster
from gpucluster.components.azure.settings import KEYS
from gpucluster.components.cluster.cloud import Cloud
from gpucluster.components.planning.planning import GIB_PER_TIB
from gpucluster.components.shared.elastic import pool_rows
from gpucluster.components.shared.file_systems import home_part, shared_part, shared_sizes


def _parts(plan: AzureClusterPlan) -> list[tuple[str, str]]:
    capacity, _ = shared_sizes(plan.storage)
    lustre = f"Azure Managed Lustre {capacity // GIB_PER_TIB:,} TiB"
    return [
        ("storage", shared_part(plan.storage, lustre=lustre, bucket="container of blobs")),
        ("home", home_part(plan.home, "Azure Files")),
        *pool_rows(plan.elastic, karpenter="node auto provisioning", native="cluster autoscaler"),
        ("MIG", str(plan.mig or "none")),
    ]


CLOUD = Cloud(
    name="azure",
    service="AKS",
    keys={"subscription": "00000000-0000-0000-0000-000000000000", "region": "eastus", "zone": "1"},
    optional=KEYS,
    zone_in=first_zone,
    parse_location=parse_location,
    plan=plan_cluster,
    parts=_parts,
)
