"""The parts of a cluster that every cloud plans alike, and the facts of a plan for the cost module and the policies.
Imports no Pulumi.

A cloud plans in this order: the machine of the training nodes, these parts, training, storage, home folders, MIG and
elastic pools, system nodes, access, network, registry; then `cluster_facts`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Generic, TypeVar

from gpucluster.components.cluster.versions import VersionPlan, plan_versions
from gpucluster.components.kubernetes.node_health.plan import health_note
from gpucluster.components.kubernetes.slurm.nodes import slurm_note
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan, plan_telemetry
from gpucluster.components.planning.names import ELASTIC, MIG_POOL, TRAINING_POOL
from gpucluster.components.planning.planning import HEADROOM, Planning, plan_name
from gpucluster.components.shared.buckets import IdentityPlan, OwnBucketPlan, plan_bucket, plan_identities
from gpucluster.components.shared.elastic import ElasticMachines
from gpucluster.components.shared.file_systems import Shared, shared_sizes
from gpucluster.components.shared.fleet import FleetPlan, plan_fleet
from gpucluster.components.shared.mig import MigMachines
from gpucluster.components.shared.registry import RegistryPlan
from gpucluster.components.shared.teams import PeoplePlan, plan_people, team_facts
from gpucluster.components.shared.training import TrainingNodes
from gpucluster.components.spec.cluster import ClusterSpec, PoolSpec
from gpucluster.components.spec.operations import BrokenNodes, Logs
from gpucluster.components.spec.storage import SharedStorage
from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.machines import Machine
from gpucluster.core.program.facts import Budget, Facts, StorageRequest, Terms


@dataclass(frozen=True, kw_only=True)
class CloudTraits:
    """Facts of a cloud that the shared parts need.

    cloud: its row in `core.catalog`. service: of Kubernetes, with the form and the longest of its clusters' names.
    log_days: retentions that its log service supports, `log_service` that and these values in an error, `log_store`
    the name of the store. metrics: its store of metrics. repair: who repairs a broken node, and when. bucket: form of
    an address. fabrics: it has several releases of a fabric. maintenance: it announces maintenance of nodes.
    fixed_address: its NAT keeps its address.
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
    fixed_address: bool = True


@dataclass(frozen=True, kw_only=True)
class SharedParts:
    """cluster_name: of the cloud's Kubernetes cluster, known before its creation. grace_seconds: as in the spec's
    health. leader_worker_sets, slurm_accounting: as in its jobs. slurm_pools: that Slurm has, not Kueue. fleet: None
    without one.
    """

    name: str
    cluster_name: str
    stack: str
    labels: Mapping[str, str]
    versions: VersionPlan
    people: PeoplePlan
    bucket: OwnBucketPlan | None
    identities: tuple[IdentityPlan, ...]
    leader_worker_sets: bool
    slurm_pools: tuple[str, ...]
    slurm_accounting: bool
    fleet: FleetPlan | None
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
    if spec.slurm_pools:
        planning.notes.append(slurm_note(spec.slurm_pools, [*spec.pool_gpus]))
    slurm = TRAINING_POOL in spec.slurm_pools
    planning.notes.append(
        health_note(health.broken_nodes, spares=spec.training.spares, slurm=slurm, repair=traits.repair)
    )
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
        leader_worker_sets=spec.jobs.leader_worker_sets,
        slurm_pools=spec.slurm_pools,
        slurm_accounting=spec.jobs.slurm_accounting,
        fleet=plan_fleet(
            spec.fleet,
            spec.access,
            planning,
            existing_network=spec.network.existing is not None,
            fixed_address=traits.fixed_address,
        ),
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


def plan_logs(
    logs: Logs, planning: Planning[Any], *, days: Container[int], service: str, store: Callable[[int], str]
) -> int:
    """Days of retention; 0 for no logs. days: those that the cloud supports. service: its name, and these values, for
    an error. store: where it keeps logs for some days, for the note.
    """
    keep = logs.keep_days
    if keep == 0:
        planning.notes.append("logs of pods are deleted with the pod: telemetry.logs.keep_days is 0")
        return keep
    if keep not in days:
        planning.refuse("telemetry.logs.keep_days", f"is {keep}", f"{service}, or 0 for no logs")
    planning.notes.append(f"logs of pods are kept for {keep} days in {store(keep)}")
    return keep


Training = TypeVar("Training", covariant=True)
Trained = TypeVar("Trained", bound=TrainingNodes)


@dataclass(frozen=True, kw_only=True)
class PoolPlan(Generic[Training]):
    """A training pool outside a cluster of this toolkit. facts: as of a cluster."""

    name: str
    labels: Mapping[str, str]
    training: Training
    facts: Facts


def pool_plan(spec: PoolSpec, training: Trained, planning: Planning[Any]) -> PoolPlan[Trained]:
    """The plan of such a pool, after its part has reported."""
    gpus = training.shape.gpus
    return PoolPlan(
        name=spec.name,
        labels=spec.labels,
        training=training,
        facts=Facts(
            required_labels=_labels(spec.labels),
            duration_days=_days(spec.duration),
            training_gpus=Decimal(training.nodes * gpus),
            spare_gpus=Decimal(training.spares * gpus),
            rolls=(spec.name,) if training.roll else (),
            paused=not training.active,
            losses=tuple(planning.losses),
            before_up=tuple(planning.before_up),
            questions=tuple(planning.questions),
            notes=tuple(planning.notes),
        ),
    )


def cluster_facts(
    spec: ClusterSpec,
    planning: Planning[Any],
    *,
    training: TrainingNodes,
    co_location: str,
    storage: Shared,
    elastic: ElasticMachines | None,
    mig: MigMachines | None,
    scale_set_limit: int | None = None,
) -> Facts:
    """The facts of a cluster, after all of its parts have reported: read by the cost module and the policies, which
    know no component.

    co_location: what keeps the training nodes together. scale_set_limit: nodes that one scale set holds, on Azure.
    """
    shape = training.shape
    pools = {TRAINING_POOL: training.roll, MIG_POOL: mig is not None and mig.roll}
    outside = [*([ELASTIC] if elastic else []), *([MIG_POOL] if mig else [])]
    return Facts(
        required_labels=_labels(spec.labels),
        budget=None if spec.budget is None else Budget(spec.budget.monthly_usd, spec.budget.on_exceed),
        terms={
            cloud: Terms(support=agreed.support, discount=agreed.discount, account_usd=agreed.account_usd)
            for cloud, agreed in spec.terms.items()
        },
        exemptions=[{**vars(item), "until": item.until.isoformat()} for item in spec.exemptions],
        duration_days=_days(spec.duration),
        training_gpus=Decimal(training.nodes * shape.gpus),
        spare_gpus=Decimal(training.spares * shape.gpus),
        outside_training=tuple(f"{spec.name}-{pool}" for pool in outside),
        slices={} if mig is None else {f"{spec.name}-{MIG_POOL}": mig.pool.shares},
        teams=team_facts(spec.name, spec.teams, spec.pool_gpus),
        rolls=tuple(f"{spec.name}-{pool}" for pool, rolls in pools.items() if rolls),
        paused=not training.active,
        not_built=tuple(planning.not_built),
        losses=tuple(planning.losses),
        before_up=tuple(planning.before_up),
        questions=tuple(planning.questions),
        notes=tuple(planning.notes),
        equivalence=_equivalence(shape, training.nodes, co_location, *shared_sizes(storage)),
        storage_asked=_storage_request(spec.storage.shared),
        scale_set_limit=scale_set_limit,
    )


def _equivalence(
    shape: Machine, nodes: int, co_location: str, storage_gib: int, gb_per_s: Decimal | None
) -> dict[str, Any]:
    """Values by which two clusters of one spec are compared.

    fabricGbps, hostGbps: per training node, Gb/s. scratchGb: local NVMe per training node, GB. storageGib,
    storageGbPerS: shared storage as provisioned, GiB and GB/s; missing if no throughput is promised.
    """
    return {
        "machineType": shape.machine_type,
        "accelerator": shape.accelerator,
        "gpus": nodes * shape.gpus,
        "gpuMemoryMib": shape.gpu_memory_mib,
        "fabric": shape.fabric,
        "fabricGbps": shape.fabric_gbps,
        "hostGbps": shape.host_gbps,
        "coLocation": co_location,
        "vcpus": shape.vcpus,
        "memoryGib": shape.memory_gib,
        "scratchGb": shape.nvme_gb,
        "storageGib": storage_gib,
        **({} if gb_per_s is None else {"storageGbPerS": str(gb_per_s)}),
    }


def _labels(labels: Mapping[str, str]) -> dict[str, str] | None:
    """The labels that every resource must have; None if the spec has none."""
    return dict(labels) or None


def _days(hours: int | None) -> Decimal | None:
    """The spec's duration in days, if set."""
    return None if hours is None else Decimal(hours) / 24


def _storage_request(shared: SharedStorage) -> StorageRequest | None:
    """The requested shared file system, by which the cost module reports what its size steps waste; None for a bucket
    and for an existing one.
    """
    if not shared.makes_lustre:
        return None
    return StorageRequest(usable_tib=shared.usable_tib, gb_per_s=shared.gb_per_s, headroom=HEADROOM)
