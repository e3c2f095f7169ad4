"""AWS, as the interface for the rest of the project. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Mapping

from gpucluster.components.aws.location import Location, parse_location
from gpucluster.components.aws.plan import AwsClusterPlan, plan_cluster
from gpucluster.components.cloud import Cloud
from gpucluster.components.elastic import pool_rows
from gpucluster.components.problem import Problem
from gpucluster.components.shared_storage import shared_part, shared_sizes


def _location(values: Mapping[str, str]) -> Location | list[Problem]:
    if "region" not in values:
        return []
    return parse_location(
        region=values["region"],
        zone=values.get("zone"),
        second_zone=values.get("secondZone"),
        account=values.get("account"),
        role=values.get("role"),
    )


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
    parse_location=_location,
    plan=plan_cluster,
    parts=_parts,
)
