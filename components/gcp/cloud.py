"""Google Cloud, as the interface for the rest of the project. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.cluster.cloud import Cloud
from gpucluster.components.gcp.location import Location, first_zone
from gpucluster.components.gcp.planning.plan import GcpClusterPlan, plan_cluster
from gpucluster.components.shared.elastic import pool_rows
from gpucluster.components.shared.file_systems import home_part, shared_part, shared_sizes


def _parts(plan: GcpClusterPlan) -> list[tuple[str, str]]:
    capacity, _ = shared_sizes(plan.storage)
    return [
        ("storage", shared_part(plan.storage, lustre=f"Managed Lustre {capacity:,} GiB")),
        ("home", home_part(plan.home, "Filestore")),
        *pool_rows(plan.elastic, native="GKE ComputeClass"),
        ("MIG", str(plan.mig or "none")),
    ]


CLOUD = Cloud(
    name="gcp",
    service="GKE",
    keys={"project": "my-project", "region": "us-central1", "zone": "us-central1-b"},
    zone_in=first_zone,
    parse_location=Location.read,
    plan=plan_cluster,
    parts=_parts,
)
