"""What the plans of all clouds share: the mistakes a plan reports, and the facts it hands to cost and policies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Generic, Protocol, TypeVar

from gpucluster.catalog.fabric_releases import release_of
from gpucluster.catalog.machines import Machine
from gpucluster.components.fabric_notes import fabric_notes
from gpucluster.components.mig import MigResources
from gpucluster.components.names import ELASTIC, MIG_POOL, TRAINING_POOL
from gpucluster.components.problem import Problem
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.parts import PoolSpec, TrainingSpec
from gpucluster.components.teams import team_facts, team_notes
from gpucluster.errors import InputError
from gpucluster.program.facts import Budget, Facts, StorageAsked, Terms
from gpucluster.record import record

# Lustre slows down above 80 % full: 25 % more than the data need keeps it below.
HEADROOM = Decimal("1.25")
GIB_PER_TIB = 1024


class Prices(Protocol):
    """What a plan asks of prices, which the program brings along: it chooses by them, tells people of them, and knows
    none. None where no price is known.
    """

    def storage_price(self, cloud: str, region: str, tier: int) -> Decimal | None:
        """USD per GiB-month of shared storage. tier: MB/s per TiB."""
        ...

    def storage_price_elsewhere(self, cloud: str, tier: int) -> Decimal | None:
        """The least that is known in any region of the cloud, else of any other: good for the order of tiers alone."""
        ...

    def machine_usd(self, cloud: str, region: str, machine_type: str, purchase: str) -> Decimal | None:
        """USD per hour of a machine. purchase: its kind as the spec names it."""
        ...

    def machines_usd(self, cloud: str, region: str) -> Mapping[str, Decimal]:
        """Every machine type that has a price in the region, with its USD per hour on demand."""
        ...


class PlanError(InputError):
    """A spec that this cloud can't carry as asked, or an object that Kubernetes would not take, with every reason.

    problems: texts are about objects, which have no field of the spec.
    """

    def __init__(self, problems: Sequence[Problem | str]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(Problem("", one) if isinstance(one, str) else one for one in problems)


Training = TypeVar("Training", covariant=True)


@record(kw_only=True)
class PoolPlan(Generic[Training]):
    """A training pool that stands by itself. facts: what it says of itself, as a cluster does."""

    name: str
    labels: Mapping[str, str]
    training: Training
    facts: Facts


def pool_facts(spec: PoolSpec, shape: Machine, *, losses: Sequence[str], notes: Sequence[str]) -> Facts:
    """What a pool by itself says of itself. losses, notes: as of a cluster."""
    return Facts(
        required_labels=_labels(spec),
        duration_days=_days(spec),
        training_gpus=Decimal(spec.training.nodes * shape.gpus),
        spare_gpus=Decimal(spec.training.spares * shape.gpus),
        rolls=(spec.name,) if spec.training.roll else (),
        losses=tuple(losses),
        notes=(*notes, *((_roll_note(TRAINING_POOL),) if spec.training.roll else ())),
    )


def lower_case_name(spec: ClusterSpec, stack: str) -> str:
    """The cluster's name where a cloud takes lower case only; stack names may hold what names of clusters may not."""
    return re.sub(r"[^a-z0-9-]+", "-", f"{spec.name}-{stack}".lower()).rstrip("-")


def name_problems(cluster_name: str, *, service: str, longest: int) -> list[Problem]:
    """What is wrong with a cluster's name; longest: characters that the service takes."""
    if len(cluster_name) <= longest:
        return []
    return [
        Problem(
            "name",
            f"and stack make the cluster's name {cluster_name!r}",
            f"{service} takes {longest} characters: shorten one of them",
        )
    ]


def cluster_facts(
    spec: ClusterSpec,
    shape: Machine,
    *,
    co_location: str,
    storage: tuple[int, Decimal | None],
    elastic: bool,
    mig: MigResources | None,
    not_built: Sequence[str] = (),
    losses: Sequence[str],
    notes: Sequence[str],
    scale_set_limit: int | None = None,
) -> Facts:
    """What a cluster states: read by the cost module and the policies, which know no component.

    shape: of the training nodes. co_location: what keeps them together. storage: as `shared_sizes` has it. elastic,
    mig: what is built beside them. not_built: what the spec asks for and this cluster does not contain. losses: what
    this cloud can't give. notes: what a reader of the plan should know. scale_set_limit: nodes that one scale set
    holds, on Azure.
    """
    rolls = [
        pool for pool, part in ((TRAINING_POOL, spec.training), (MIG_POOL, spec.mig)) if part is not None and part.roll
    ]
    outside = [*([ELASTIC] if elastic else []), *([MIG_POOL] if mig else [])]
    return Facts(
        required_labels=_labels(spec),
        budget=None if spec.budget is None else Budget(spec.budget.monthly_usd, spec.budget.on_exceed),
        terms={
            cloud: Terms(support=agreed.support, discount=agreed.discount, account_usd=agreed.account_usd)
            for cloud, agreed in spec.terms.items()
        },
        exemptions=[{**vars(item), "until": item.until.isoformat()} for item in spec.exemptions],
        duration_days=_days(spec),
        training_gpus=Decimal(spec.training.nodes * shape.gpus),
        spare_gpus=Decimal(spec.training.spares * shape.gpus),
        outside_training=tuple(f"{spec.name}-{pool}" for pool in outside),
        slices={} if mig is None else {f"{spec.name}-{MIG_POOL}": mig.shares},
        teams=team_facts(spec),
        rolls=tuple(f"{spec.name}-{pool}" for pool in rolls),
        not_built=tuple(not_built),
        losses=tuple(losses),
        notes=(
            *notes,
            *fabric_notes(release_of(shape, spec.versions.fabric)),
            *team_notes(spec),
            *(_roll_note(pool) for pool in rolls),
        ),
        equivalence=_equivalence(shape, spec.training.nodes, co_location, *storage),
        storage_asked=_storage_asked(spec),
        scale_set_limit=scale_set_limit,
    )


def _equivalence(
    shape: Machine, nodes: int, co_location: str, storage_gib: int, gb_per_s: Decimal | None
) -> dict[str, Any]:
    """What two clusters of one spec are compared by.

    fabricGbps, hostGbps: per training node, Gb/s. scratchGb: local NVMe per training node, GB. storageGib,
    storageGbPerS: shared storage as provisioned, GiB and GB/s; none where no throughput is promised.
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


def _labels(spec: TrainingSpec) -> dict[str, str] | None:
    """The labels that everything is held against; None where the spec has none."""
    return dict(spec.labels) or None


def _days(spec: TrainingSpec) -> Decimal | None:
    """Days that it is wanted for, where the spec says so."""
    return None if spec.duration is None else Decimal(spec.duration) / 24


def _roll_note(pool: str) -> str:
    return (
        f"{pool}.roll: an update may replace the nodes of the {pool} pool and ends the jobs on them; take it back "
        "after the update"
    )


def _storage_asked(spec: ClusterSpec) -> StorageAsked | None:
    """What the shared file system is for, by which the cost module tells what its steps waste; none of a bucket, and
    none of one that stands.
    """
    shared = spec.storage.shared
    if not shared.makes_lustre:
        return None
    return StorageAsked(usable_tib=shared.usable_tib, gb_per_s=shared.gb_per_s, headroom=HEADROOM)
