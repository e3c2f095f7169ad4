"""The MIG pool and the elastic pools on Google Cloud as plain values. Imports no Pulumi.

Sources for the elastic pools: cloudpilot-ai/karpenter-provider-gcp v0.5.0, pkg/providers/instance/instance.go (neither
placement, reservation, Flex-start, MIG nor a choice of network card) and pkg/apis/v1alpha1/gcenodeclass.go (7 more
interfaces at most), issues #239, #385, #387. GKE documentation, "Configure node pool auto-creation" (limits of the
cluster apply to the pools that GKE creates for ComputeClasses) and "About node pool auto-creation" (they count every
pool, GKE's own and others); Pulumi's gcp.container.Cluster (limits for cpu and memory are mandatory; they also limit
the scaling of existing pools).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.machines import CLOUD, SystemPlan
from gpucluster.components.gcp.planning.quotas import add_machines
from gpucluster.components.planning.planning import Planning
from gpucluster.components.planning.problem import Problem
from gpucluster.components.shared.elastic import (
    ElasticMachines,
    PoolPlan,
    age_losses,
    fields_requesting,
    karpenter_purchase_problems,
    plan_pools,
    refuse_own_prices,
)
from gpucluster.components.shared.machine_choice import elastic_shape, shapes, training_shape
from gpucluster.components.shared.mig import MigMachines, report_mig, sliced
from gpucluster.components.spec.pools import Elastic, Mig
from gpucluster.core.catalog.machines import Machine, flexible_only, not_sold
from gpucluster.core.catalog.mig import slices_of


@dataclass(frozen=True, kw_only=True)
class MigPlan(MigMachines):
    """purchase: on-demand, spot or flex-start."""

    purchase: str

    @property
    def size(self) -> str:
        """Size of every slice."""
        [size] = self.pool.slices
        return size


def plan_mig(mig: Mig | None, accelerator: str, planning: Planning[Location]) -> MigPlan | None:
    """The pool, of machines with 8 GPUs and no fabric in use. GKE labels its nodes with the size of their slices."""
    if mig is None:
        return None
    shape = training_shape(CLOUD, accelerator, 0)
    nodes, pool = sliced(mig, accelerator, shape)
    plan = MigPlan(shape=shape, nodes=nodes, pool=pool, roll=mig.roll, purchase=mig.purchase)
    add_machines(planning, shape, nodes, preemptible=mig.purchase != "on-demand", root_gib=plan.root_gib)
    why = not_sold(shape.machine_type, mig.purchase.replace("-", "_"))
    if why is not None:
        planning.refuse("mig.purchase", f"is {mig.purchase!r}, and {why}", "choose spot or flex-start")
    accepted = [found.size for found in slices_of(accelerator) if found.gke]
    whole = pool.layout.whole
    if mig.strategy == "mixed":
        seen = "is 'mixed', which GKE does not support: slices are nvidia.com/gpu there"
        planning.refuse("mig.strategy", seen, "remove it")
    if whole is None or whole.size(accelerator) not in accepted:
        sizes = ", ".join(f"all-{size}" for size in accepted)
        seen = f"is {mig.layout!r}, which GKE does not accept for {accelerator}"
        planning.refuse("mig.layout", seen, f"allowed: {sizes}")
        return plan
    report_mig(mig, pool, planning, f"cloud.google.com/gke-gpu-partition-size: {plan.size}")
    return plan


# Source: GKE documentation, "Define a custom compute class".
_RESERVED_PREFIXES = ("gke", "autopilot")
_MODEL: Final = "h100"
_MOST_NETWORKS: Final = 7
_NATIVE: Final = "write elastic.engine: native"

KARPENTER_NOTE: Final = (
    "elastic pools: Karpenter on Google Cloud is experimental, a community provider (karpenter-provider-gcp) without "
    "GPU networks, placement, reservations, flex-start, MIG or local SSDs, so emptyDir is on the boot disk; "
    "elastic.engine: native uses GKE's autoscaler"
)


@dataclass(frozen=True, kw_only=True)
class ElasticPlan(ElasticMachines):
    """pools: bought as spot or flex-start."""

    @property
    def max_gpus(self) -> int:
        """Total of all pools."""
        return sum(pool.max_gpus for pool in self.pools)

    def fallbacks(self, pool: PoolPlan) -> tuple[str, ...]:
        """Purchase options of machines that GKE adds automatically if the pool's first option finds none."""
        return pool.purchase[1:] if self.engine == "native" else ()

    @property
    def open_ended(self) -> tuple[PoolPlan, ...]:
        """The pools for which GKE creates node pools automatically."""
        return tuple(pool for pool in self.pools if self.fallbacks(pool))


@dataclass(frozen=True, kw_only=True)
class PoolSize:
    """A pool at its maximum size. scaled: GKE decides the number of nodes."""

    shape: Machine
    nodes: int
    scaled: bool


def plan_elastic(elastic: Elastic | None, accelerator: str, planning: Planning[Location]) -> ElasticPlan | None:
    """The pools on Google Cloud's machines with fewer than 8 GPUs. accelerator: of the training nodes."""
    if elastic is None:
        return None
    shape = elastic_shape(CLOUD, accelerator)
    pools = plan_pools(elastic, accelerator, shape, planning, _purchase_options)
    plan = ElasticPlan(engine=elastic.engine, shape=shape, pools=pools)
    on_demand = fields_requesting(elastic, "on-demand")
    planning.losses += [
        f"{field}: {shape.machine_type} is sold as Spot or flex-start, never on demand; it is "
        f"{' or '.join(pool.purchase)} here, and a reclaimed machine ends its job"
        for pool in pools
        if (field := f"elastic.pools.{pool.name}.purchase") in on_demand
    ]
    refuse_own_prices(elastic, planning, "Google Cloud's autoscaler and Karpenter's provider for it take none here")
    karpenter = plan.engine == "karpenter"
    add_machines(
        planning,
        shape,
        plan.most_nodes,
        preemptible=True,
        root_gib=plan.root_gib,
        disk="pd-balanced" if karpenter else None,
        local=not karpenter,  # `KARPENTER_NOTE`
    )
    if karpenter:
        _refuse_karpenter(elastic, shape, planning)
        return plan
    for name in elastic.pools:
        if name.startswith(_RESERVED_PREFIXES):
            fix = "GKE refuses a ComputeClass with a name that begins with gke or autopilot: choose another"
            planning.refuse("elastic.pools", f"has the name {name!r}", fix)
    planning.losses += age_losses(pools, "GKE")
    return plan


def _purchase_options(requested: Sequence[str]) -> Sequence[str]:
    """The requested purchase options that exist for these machines; Spot if none does."""
    return [kind for kind in requested if kind != "on-demand"] or ["spot"]


def _refuse_karpenter(elastic: Elastic, shape: Machine, planning: Planning[Location]) -> None:
    planning.notes.append(KARPENTER_NOTE)
    found = [
        problem
        for name, pool in elastic.pools.items()
        # On demand is a loss rather than a mistake: no engine can buy these machines on demand.
        for problem in karpenter_problems(
            shape.machine_type, pool=name, purchase=[kind for kind in pool.purchase if kind != "on-demand"]
        )
    ]
    planning.problems += dict.fromkeys(found)


def karpenter_problems(machine_type: str, *, pool: str, purchase: Sequence[str]) -> list[Problem]:
    """Why Karpenter can't run such a pool, in the terms of the spec; empty if it can.

    pool: its name. purchase: on-demand, spot, flex-start or reserved.
    """
    problems: list[Problem] = []
    allowed = _machines()
    if machine_type not in allowed:
        problems.append(
            Problem(
                "elastic.engine",
                f"is 'karpenter', which on Google Cloud can't start {machine_type} with its GPU networks",
                f"allowed: {', '.join(allowed)}; {_NATIVE}",
            )
        )
    if flexible_only(machine_type) and "on-demand" in purchase:
        problems.append(
            Problem(
                f"elastic.pools.{pool}.purchase",
                f"has on-demand, and {machine_type} is sold as spot or flex-start only",
                "with karpenter write [spot]",
            )
        )
    return problems + karpenter_purchase_problems(pool, purchase, cloud="Google Cloud", fix=_NATIVE)


def _machines() -> list[str]:
    """H100 machines whose GPU networks Karpenter can configure, the small ones first."""
    rows = [row for row in shapes() if (row.cloud, row.model) == ("gcp", _MODEL)]
    fitting = [row for row in rows if row.network_cards <= _MOST_NETWORKS]
    return [row.machine_type for row in sorted(fitting, key=lambda row: row.gpus)]


def plan_limits(
    elastic: ElasticPlan | None, others: Sequence[PoolSize], system: SystemPlan, planning: Planning[Location]
) -> Mapping[str, int] | None:
    """Maximum amounts of all pools together by GKE's resource type: cpu in vCPUs, memory in GiB, and GPUs of the type
    that GKE may add; None if it creates no pools automatically. others: of GPU nodes, except the elastic one.

    A limit for all GPUs of one type does not limit a single elastic pool: it may use GPUs that other pools may have but
    do not have yet, which is a loss.
    """
    if elastic is None or not elastic.open_ended:
        return None
    kind = elastic.shape.gke_gpu
    pools = [*others, PoolSize(shape=elastic.shape, nodes=elastic.most_nodes, scaled=True)]
    total: Counter[str] = Counter(cpu=system.most * system.vcpus, memory=system.most * system.memory_gib)
    for pool in pools:
        total["cpu"] += pool.nodes * pool.shape.vcpus
        total["memory"] += pool.nodes * pool.shape.memory_gib
        if pool.shape.gke_gpu == kind:
            total[kind] += pool.nodes * pool.shape.gpus
    waiting = sum(pool.nodes * pool.shape.gpus for pool in others if pool.scaled and pool.shape.gke_gpu == kind)
    for one in elastic.open_ended:
        free = waiting + elastic.max_gpus - one.max_gpus
        if free:
            planning.losses.append(
                f"elastic.pools.{one.name}.max_gpus: GKE limits all {kind} of the cluster together; while other pools "
                f"have no machines, this pool may have up to {free} GPUs more"
            )
    return dict(total)
