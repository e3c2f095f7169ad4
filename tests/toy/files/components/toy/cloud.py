"""The toy cloud as the rest of the project sees it: a network and one node pool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpucluster.catalog.machines import Machine
from gpucluster.components.cloud import Cloud
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan, old_plan_telemetry
from gpucluster.components.plan_facts import old_cluster_facts
from gpucluster.components.planning import Planning
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import shape, training_shape
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.teams import PeoplePlan, old_plan_people
from gpucluster.components.versions import VersionPlan, old_plan_versions
from gpucluster.program.facts import Facts

__all__ = ["CLOUD"]


@dataclass(frozen=True)
class Location:
    region: str
    zone: str


@dataclass(frozen=True)
class Access:
    summary: str
    only_examples: str | None = None


@dataclass(frozen=True)
class Pool:
    shape: Machine
    nodes: int
    spares: int


@dataclass(frozen=True, kw_only=True)
class Plan:
    name: str
    location: Location
    training: Pool
    telemetry: TelemetryPlan
    facts: Facts
    people: PeoplePlan
    versions: VersionPlan
    access: Access = Access("by everybody")
    kubernetes_version: str = "1.34"


def _location(values: Mapping[str, str]) -> Location | list[Problem]:
    if values["region"] != "toy-1":
        return [Problem("region", f"is {values['region']!r}", "allowed: toy-1")]
    return Location(values["region"], values["zone"])


def _plan(spec: ClusterSpec, planning: Planning[Location]) -> Plan:
    machine, location, stack, prices = planning.machine, planning.location, planning.stack, planning.prices
    of = shape("toy", machine) if machine else training_shape("toy", spec.accelerator, 0)
    training = Pool(of, spec.training.nodes, spec.training.spares)
    return Plan(
        name=spec.name,
        location=location,
        training=training,
        people=old_plan_people(spec),
        versions=old_plan_versions(spec.versions),
        telemetry=old_plan_telemetry(spec, of, region=location.region, stack=stack, prices=prices),
        facts=old_cluster_facts(
            spec,
            of,
            co_location="one rack",
            storage=(0, None),
            elastic=False,
            mig=None,
            not_built=["storage"],
            losses=[],
            notes=[],
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
