"""The training pool on Azure as plain values: one scale set of nodes. Imports no Pulumi."""

from __future__ import annotations

import re

from gpucluster.catalog.machines import Machine
from gpucluster.components.azure.arm import RESERVATION_GROUP
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.purchase import block_nodes
from gpucluster.components.spec.parts import TrainingSpec
from gpucluster.components.spec.training import CapacityBlockPurchase, ReservationPlacement
from gpucluster.components.training import TrainingNodes, has_begun
from gpucluster.record import record


@record(kw_only=True)
class PlacementPlan:
    """One scale set is one InfiniBand domain, regardless of these fields.

    reservation: id of a capacity reservation group, which is in the resource group with id `reserved_in`.
    proximity_group: created for the pool.
    """

    reservation: str | None = None
    reserved_in: str | None = None
    proximity_group: bool = False


@record(kw_only=True)
class TrainingPlan(TrainingNodes):
    """root_gib: on the machine's own disk of 1,024 GiB. block_nodes: machines of the capacity block, if any."""

    placement: PlacementPlan
    root_gib: int = 1_000
    block_nodes: int | None = None

    @property
    def co_location(self) -> str:
        """The co-location of the nodes, as text."""
        if self.size == 1:
            return "none, a single node"
        where = f", in {self.placement.reservation}" if self.placement.reservation else ""
        return f"one scale set, a non-blocking InfiniBand domain{where}"


def plan_training(spec: TrainingSpec, shape: Machine, location: Location) -> TrainingPlan:
    """The training pool of a spec that can be bought. shape: of its machines."""
    reserved = (
        re.fullmatch(RESERVATION_GROUP, spec.placement.id) if isinstance(spec.placement, ReservationPlacement) else None
    )
    return TrainingPlan(
        shape=shape,
        nodes=spec.training.nodes,
        spares=spec.training.spares,
        active=has_begun(spec),
        roll=spec.training.roll,
        placement=PlacementPlan(
            reservation=reserved[0] if reserved else None,
            reserved_in=reserved["group"] if reserved else None,
            proximity_group=location.settings.proximity_group,
        ),
        root_gib=min(TrainingPlan.root_gib, shape.nvme_gb // 2),
        block_nodes=block_nodes(spec.training.size) if isinstance(spec.purchase, CapacityBlockPurchase) else None,
    )
