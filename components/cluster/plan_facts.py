"""Facts of a plan for the cost module and the policies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Generic, TypeVar

from gpucluster.components.planning.names import ELASTIC, MIG_POOL, TRAINING_POOL
from gpucluster.components.planning.planning import HEADROOM, Planning
from gpucluster.components.shared.jobs.teams import team_facts
from gpucluster.components.shared.pools.elastic import ElasticMachines
from gpucluster.components.shared.pools.mig import MigMachines
from gpucluster.components.shared.pools.training import TrainingNodes
from gpucluster.components.shared.storage.existing_storage import Shared, shared_sizes
from gpucluster.components.spec.cluster import ClusterSpec, PoolSpec
from gpucluster.components.spec.storage import SharedStorage
from gpucluster.core.catalog.machines import Machine
from gpucluster.core.program.facts import Budget, Facts, StorageAsked, Terms

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
            losses=tuple(planning.losses),
            before_up=tuple(planning.before_up),
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
        not_built=tuple(planning.not_built),
        losses=tuple(planning.losses),
        before_up=tuple(planning.before_up),
        notes=tuple(planning.notes),
        equivalence=_equivalence(shape, training.nodes, co_location, *shared_sizes(storage)),
        storage_asked=_storage_asked(spec.storage.shared),
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


def _storage_asked(shared: SharedStorage) -> StorageAsked | None:
    """The requested shared file system, by which the cost module reports what its size steps waste; None for a bucket
    and for an existing one.
    """
    if not shared.makes_lustre:
        return None
    return StorageAsked(usable_tib=shared.usable_tib, gb_per_s=shared.gb_per_s, headroom=HEADROOM)
