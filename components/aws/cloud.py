"""AWS, as the interface for the rest of the project. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.aws.location import Location
from gpucluster.components.aws.planning.plan import AwsClusterPlan, plan_cluster
from gpucluster.components.cluster.cloud import Cloud
from gpucluster.components.shared.elastic import pool_rows
from gpucluster.components.shared.file_systems import shared_part, shared_sizes


def _parts(plan: AwsClusterPlan) -> list[tuple[str, str]]:
    capacity, _ = shared_sizes(plan.storage)
    return [
        ("storage", shared_part(plan.storage, lustre=f"FSx for Lustre {capacity:,} GiB")),
        ("home", f"EFS for small files, {plan.home.expected_gib} GiB expected" if plan.home else "none"),
        *pool_rows(plan.elastic),
        *([] if plan.mig is None else [("MIG", str(plan.mig))]),
    ]


CLOUD = Cloud(
    name="aws",
    service="EKS",
    keys={"region": "us-east-1", "zone": "us-east-1a"},
    optional=("secondZone", "account", "role"),
    zone_in=lambda region: f"{region}a",
    parse_location=Location.read,
    plan=plan_cluster,
    parts=_parts,
)
