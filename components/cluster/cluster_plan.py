"""The parts of a cluster that every cloud plans alike. Imports no Pulumi.

A cloud plans in this order: the machine of the training nodes, these parts, training, storage, home folders, MIG and
elastic pools, system nodes, access, network, registry; then `cluster_facts`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import Any

from gpucluster.components.cluster.versions import VersionPlan, plan_versions
from gpucluster.components.kubernetes.node_health.plan import health_note
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan, plan_telemetry
from gpucluster.components.planning.planning import Planning, plan_name
from gpucluster.components.shared.jobs.logs import plan_logs
from gpucluster.components.shared.jobs.registry import RegistryPlan
from gpucluster.components.shared.jobs.teams import PeoplePlan, plan_people
from gpucluster.components.shared.storage.buckets import IdentityPlan, OwnBucketPlan, plan_bucket, plan_identities
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.operations import BrokenNodes
from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.machines import Machine
from gpucluster.core.program.facts import Facts


@dataclass(frozen=True, kw_only=True)
class CloudTraits:
    """What the shared parts are told of a cloud.

    cloud: its row in `core.catalog`. service: of Kubernetes, with the form and the longest of its clusters' names.
    log_days: retentions that its log service supports, `log_service` that and these values in an error, `log_store`
    the name of the store. metrics: its store of metrics. repair: who repairs a broken node, and when. bucket: form of
    an address. fabrics: it has several releases of a fabric. maintenance: it announces maintenance of nodes.
    """

    cloud: str
    service: str
    name_form: Callable[[str], str]
    longest_name: int
    log_days: Container[int]
    log_service: str
    log_store: Callable[[int], str]
    metrics: str
    repair: str
    bucket: str
    fabrics: bool = False
    maintenance: bool = False


@dataclass(frozen=True, kw_only=True)
class SharedParts:
    """cluster_name: of the cloud's Kubernetes cluster, known before its creation. grace_seconds: as in the spec's
    health.
    """

    name: str
    cluster_name: str
    stack: str
    labels: Mapping[str, str]
    versions: VersionPlan
    people: PeoplePlan
    bucket: OwnBucketPlan | None
    identities: tuple[IdentityPlan, ...]
    broken_nodes: BrokenNodes
    grace_seconds: int
    keep_logs_days: int
    telemetry: TelemetryPlan


@dataclass(frozen=True, kw_only=True)
class PlannedCluster(SharedParts):
    """Each cloud adds place, access, network, pools and storage."""

    registry: RegistryPlan | None
    facts: Facts

    @property
    def kubernetes_version(self) -> str:
        """Minor version of the control plane."""
        return self.versions.control_plane


def plan_shared_parts(
    spec: ClusterSpec, shape: Machine, planning: Planning[Any], traits: CloudTraits, *, metrics: bool = True
) -> SharedParts:
    """shape: of the training nodes. metrics: whether the cloud collects metrics at the location."""
    health, telemetry = spec.health, spec.telemetry
    versions = plan_versions(spec.versions, traits.cloud, shape, planning, fabrics=traits.fabrics)
    planning.notes.append(health_note(health.broken_nodes, spares=spec.training.spares, repair=traits.repair))
    return SharedParts(
        name=spec.name,
        cluster_name=plan_name(
            spec.name, planning, form=traits.name_form, service=traits.service, longest=traits.longest_name
        ),
        stack=planning.stack,
        labels=dict(spec.labels),
        versions=versions,
        people=plan_people(spec.access, spec.teams, spec.pool_gpus, planning),
        bucket=plan_bucket(spec.storage.bucket),
        identities=plan_identities(spec.identities, planning, title=clouds()[traits.cloud].title, form=traits.bucket),
        broken_nodes=health.broken_nodes,
        grace_seconds=health.grace_seconds,
        keep_logs_days=plan_logs(
            telemetry.logs, planning, days=traits.log_days, service=traits.log_service, store=traits.log_store
        ),
        telemetry=plan_telemetry(
            spec,
            shape,
            planning,
            metrics=traits.metrics if metrics else None,
            maintenance=traits.maintenance,
        ),
    )
