"""The MIG pool and the elastic pools on Azure as plain values. Imports no Pulumi.

Source of the limits of node auto provisioning, AKS's Karpenter: Azure/karpenter-provider-azure v1.14.2:
pkg/providers/instance/vminstance.go (machines without a scale set or a placement),
pkg/providers/instancetype/instancetype.go (no rdma/ib, no slices), pkg/utils/supported-gpus.yaml; pull requests 1529,
1834, 1839 (capacity reservations, open).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gpucluster.components.azure.location import Location
from gpucluster.components.azure.planning.machines import CLOUD
from gpucluster.components.azure.planning.quotas import add_machines
from gpucluster.components.planning.mig_layout import Kind, Layout, layout_of
from gpucluster.components.planning.names import MIG_POOL, SYSTEM_POOL, TRAINING_POOL
from gpucluster.components.planning.planning import Planning
from gpucluster.components.planning.problem import Problem
from gpucluster.components.shared.elastic import (
    ElasticMachines,
    PoolPlan,
    age_losses,
    karpenter_purchase_problems,
    plan_pools,
    refuse_flex_start,
    refuse_own_prices,
)
from gpucluster.components.shared.machine_choice import elastic_shape, shapes_with, training_shape
from gpucluster.components.shared.mig import MigMachines, report_mig, sliced
from gpucluster.components.spec.pools import Elastic, Mig
from gpucluster.core.catalog.azure_regions import has_infiniband
from gpucluster.core.catalog.machines import Machine
from gpucluster.core.catalog.mig import slices, slices_of


@dataclass(frozen=True, kw_only=True)
class MigPlan(MigMachines):
    """profile: AKS's name of the layout, None if the operators' MIG manager slices, not AKS. spot: bought as spot."""

    profile: str | None
    spot: bool
    root_gib: int = 1_000

    @property
    def layout(self) -> str:
        """Its name in the MIG manager on this GPU."""
        return self.pool.layout.name(self.pool.gpu)

    @property
    def config(self) -> Mapping[str, int] | None:
        """Slices of a GPU by size, if the MIG manager does not know the layout."""
        return None if self.pool.layout.known or self.profile is not None else self.pool.layout.sizes(self.pool.gpu)


def _profile(layout: Layout) -> str | None:
    """AKS's name of the layout; only layouts with the maximum number of slices of one kind have one."""
    whole = layout.whole
    named = (found.aks for found in slices() if whole == Kind(found.compute, found.memory) and found.aks)
    return next(named, None)


def plan_mig(mig: Mig | None, accelerator: str, planning: Planning[Location]) -> MigPlan | None:
    """The pool, of machines without InfiniBand if there are any with this accelerator."""
    refuse_flex_start("Azure", planning, mig=mig)
    if mig is None:
        return None
    shape = _shape(accelerator)
    nodes, pool = sliced(mig, accelerator, shape)
    by_aks = planning.location.settings.driver == "aks"
    if by_aks and _profile(layout_of(mig.layout, accelerator)) is None:
        others = ", ".join(f"all-{found.size}" for found in slices_of(accelerator) if found.aks)
        planning.refuse_place(
            "gpuDriver",
            f"is 'aks', but AKS has no profile for mig.layout {mig.layout!r}",
            f"remove gpuDriver, so that the operators' MIG manager slices, or change mig.layout to one of {others}",
        )
    if pool.gpu != accelerator:
        requested = pool.layout.sizes(accelerator)
        planning.losses.append(
            f"MIG pool: H100 NVL with 94 GB instead of SXM with 80 GB, so slices are {', '.join(pool.slices)} instead "
            f"of {', '.join(requested)}; {nodes} x {shape.machine_type} have the GPUs of {mig.nodes} x 8"
        )
    report_mig(mig, pool, planning)
    spot = mig.purchase == "spot"
    add_machines(planning, shape.quota, shape.vcpus * nodes, spot=spot)
    return MigPlan(
        shape=shape,
        nodes=nodes,
        pool=pool,
        roll=mig.roll,
        profile=_profile(pool.layout) if by_aks else None,
        spot=spot,
    )


def _shape(accelerator: str) -> Machine:
    """The machine with most GPUs among those without fabric, else the training machine."""
    rows = [row for row in shapes_with(CLOUD, accelerator) if row.fabric == "none"]
    return max(rows, key=lambda row: row.gpus) if rows else training_shape(CLOUD, accelerator, 0)


PROVISIONING_CLASS: Final = "best-effort-atomic-scale-up.autoscaling.x-k8s.io"
"""Class by which a queue requests all nodes of a job from the cluster autoscaler at once.

Source: AKS documentation, configure-kueue-with-cluster-autoscaler (2026-07-17).
"""


# Lower-case letters and digits. Source: AKS documentation, "Naming rules".
_POOL_NAME: Final = 12


@dataclass(frozen=True, kw_only=True)
class ElasticPlan(ElasticMachines):
    """shape: without InfiniBand. root_gib: on the machine's own disk, also for files that jobs keep on a node."""

    root_gib: int = 1_000

    @property
    def keep_empty(self) -> int:
        """Minutes that an empty machine waits if the cluster's autoscaler has one such time for all pools."""
        return max(pool.keep_empty for pool in self.pools)


def plan_elastic(elastic: Elastic | None, accelerator: str, planning: Planning[Location]) -> ElasticPlan | None:
    """The pools on the smallest machine. accelerator: of the training nodes."""
    refuse_flex_start("Azure", planning, elastic=elastic)
    if elastic is None:
        return None
    shape = elastic_shape(CLOUD, accelerator)
    machine = shape.machine_type
    loss = (
        f"{machine} has an H100 NVL with 94 GB, not the SXM with 80 GB of the training nodes"
        if shape.accelerator == accelerator
        else f"no machine with a single {accelerator.upper()}; {machine} has one H100 NVL with 94 GB"
    )
    pools = plan_pools(elastic, accelerator, shape, planning, _purchase_options, loss=loss)
    plan = ElasticPlan(engine=elastic.engine, shape=shape, pools=pools)
    add_machines(planning, shape.quota, shape.vcpus * plan.bought("on-demand"))
    add_machines(planning, shape.quota, shape.vcpus * plan.bought("spot"), spot=True)
    refuse_own_prices(elastic, planning, "AKS runs Karpenter itself, without NodeOverlays")
    if plan.engine == "native":
        _report_autoscaler(plan, planning)
    else:
        _report_karpenter(plan, planning)
    return plan


def _purchase_options(requested: Sequence[str]) -> Sequence[str]:
    return [kind for kind in requested if kind != "flex-start"]


def agent_pools(pool: PoolPlan) -> dict[str, str]:
    """AKS names of a pool's scale sets for the cluster autoscaler: purchase option -> name."""
    name = pool.name.replace("-", "")
    others = {purchase: purchase.replace("-", "")[:5] for purchase in pool.purchase[1:]}
    return {pool.purchase[0]: name} | {
        purchase: f"{name[: _POOL_NAME - len(short)]}{short}" for purchase, short in others.items()
    }


def _report_autoscaler(plan: ElasticPlan, planning: Planning[Location]) -> None:
    users: dict[str, list[str]] = {name: [f"{name} of the cluster"] for name in (SYSTEM_POOL, TRAINING_POOL, MIG_POOL)}
    for pool in plan.pools:
        for name in agent_pools(pool).values() if pool.purchase else ():
            users.setdefault(name, []).append(pool.name)
    for name, pools in users.items():
        if len(pools) > 1:
            planning.refuse(
                "elastic.pools",
                f"has {' and '.join(pools)}, which share the node pool name {name!r} on AKS, where names have no "
                f"hyphens and at most {_POOL_NAME} characters",
                "rename one",
            )
    planning.losses += [
        f"elastic.pools.{pool.name}.keep_empty: {_duration(pool.keep_empty)} requested, {_duration(plan.keep_empty)} "
        "used: the AKS autoscaler has one such time for all pools, here the longest"
        for pool in plan.pools
        if pool.keep_empty != plan.keep_empty
    ]
    planning.losses += age_losses(plan.pools, "AKS's autoscaler")


def _duration(minutes: int) -> str:
    """Minutes in the format of a spec."""
    return f"{minutes}m" if minutes % 60 else f"{minutes // 60}h"


def _report_karpenter(plan: ElasticPlan, planning: Planning[Location]) -> None:
    planning.notes.append(
        "elastic pools: node auto provisioning starts single machines outside of scale sets, which have no "
        "InfiniBand; the training pool has a fixed size, and no other pool can autoscale in the same cluster"
    )
    mixed = [pool.name for pool in plan.pools if len(pool.purchase) > 1]
    if mixed:
        # Azure/karpenter-provider-azure issue 761.
        planning.notes.append(
            f"elastic pools {', '.join(mixed)}: if spot is unavailable, a job may stay pending: node auto provisioning "
            "does not fall back to on demand within one request; elastic.engine: native creates a node pool for each"
        )


def karpenter_problems(machine_types: Sequence[str], *, pool: str, purchase: Sequence[str]) -> list[Problem]:
    """Why Karpenter can't run such a pool, in the terms of the spec; empty if it can.

    pool: its name. purchase: on-demand, spot, flex-start or reserved.
    """
    problems = [
        Problem(
            "elastic.engine",
            f"is 'karpenter', which on Azure starts machines outside of scale sets, where {size} has no InfiniBand",
            "allowed: sizes without r; use the training pool",
        )
        for size in machine_types
        if has_infiniband(size)
    ]
    return problems + karpenter_purchase_problems(pool, purchase, cloud="Azure", fix="choose from these")
