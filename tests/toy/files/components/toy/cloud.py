"""The toy cloud as the rest of the project sees it: a network and one node pool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpucluster.components.cluster.cloud import Cloud
from gpucluster.components.cluster.cluster_plan import cluster_facts
from gpucluster.components.cluster.versions import VersionPlan, plan_versions
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan, plan_telemetry
from gpucluster.components.planning.planning import Planning
from gpucluster.components.planning.problem import Problem
from gpucluster.components.shared.buckets import BucketPlan
from gpucluster.components.shared.fleet import FleetPlan
from gpucluster.components.shared.machine_choice import shape, training_shape
from gpucluster.components.shared.teams import PeoplePlan, plan_people
from gpucluster.components.shared.training import TrainingNodes
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.core.program.facts import Facts

__all__ = ["CLOUD"]


@dataclass(frozen=True)
class Location:
    region: str
    zone: str


@dataclass(frozen=True)
class Access:
    summary: str
    only_examples: str | None = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    name: str
    location: Location
    training: TrainingNodes
    telemetry: TelemetryPlan
    facts: Facts
    people: PeoplePlan
    versions: VersionPlan
    access: Access = Access("by everybody")
    leader_worker_sets: bool = False
    fleet: FleetPlan | None = None
    kubernetes_version: str = "1.34"


def _location(values: Mapping[str, str]) -> Location | list[Problem]:
    if values["region"] != "toy-1":
        return [Problem("region", f"is {values['region']!r}", "allowed: toy-1")]
    return Location(values["region"], values["zone"])


def _plan(spec: ClusterSpec, planning: Planning[Location]) -> Plan:
    shape_ = shape("toy", planning.machine) if planning.machine else training_shape("toy", spec.accelerator, 0)
    training = TrainingNodes(shape=shape_, nodes=spec.training.nodes, spares=spec.training.spares)
    planning.not_built.append("storage")
    return Plan(
        name=spec.name,
        location=planning.location,
        training=training,
        people=plan_people(spec.access, spec.teams, spec.pool_gpus, planning),
        versions=plan_versions(spec.versions, "toy", shape_, planning),
        telemetry=plan_telemetry(spec, shape_, planning, metrics=None),
        facts=cluster_facts(
            spec,
            planning,
            training=training,
            co_location="one rack",
            storage=BucketPlan(usable_gib=0, protect=False),
            elastic=None,
            mig=None,
        ),
    )


CLOUD = Cloud(
    name="toy",
    service="TKS",
    keys={"region": "toy-1", "zone": "toy-1a"},
    zone_in=lambda region: f"{region}a",
    parse_location=_location,
    plan=_plan,
    parts=lambda _: [("storage", "none")],
)
