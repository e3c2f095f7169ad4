"""The training pool on Google Cloud as plain values: nodes and placement. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.catalog.fabric_releases import release_of
from gpucluster.catalog.machines import Machine
from gpucluster.catalog.sold import sold
from gpucluster.components.gcp.addresses import GPU_PODS_PER_NODE
from gpucluster.components.gcp.purchase import queues_nodes
from gpucluster.components.spec.parts import TrainingSpec
from gpucluster.components.spec.training import CapacityBlockPurchase, FlexStartPurchase, ReservationPlacement
from gpucluster.components.training import TrainingNodes, fabric_losses, has_begun
from gpucluster.record import record


@record(kw_only=True)
class PlacementPlan:
    """compact: nodes close together, by a resource policy created for this pool or the named one.

    reservation: its id. policy: the resource policy that the reservation was created with; another reservation gets
    none. periodic: whether its hosts have maintenance at fixed intervals.
    """

    compact: bool
    reservation: str | None = None
    policy: str | None = None
    periodic: bool = False


@record(kw_only=True)
class TrainingPlan(TrainingNodes):
    """flex_start_hours: how long flex-start nodes run, None for other purchase options. queued: all nodes of a job
    start at once, requested by its queue. calendar: a reservation in calendar mode, whose capacity is available only
    after its delivery. driver: branch of the GPU driver, DEFAULT or LATEST.
    """

    placement: PlacementPlan
    driver: str
    flex_start_hours: int | None = None
    queued: bool = False
    calendar: bool = False
    root_gib: int = 200
    max_pods: int = GPU_PODS_PER_NODE


def plan_training(spec: TrainingSpec, shape: Machine, fabric: str | None = None) -> TrainingPlan:
    """The training pool of a spec that can be bought. shape: of its machines. fabric: the release, None for the default
    one.
    """
    return TrainingPlan(
        shape=shape,
        nodes=spec.training.nodes,
        spares=spec.training.spares,
        active=has_begun(spec),
        roll=spec.training.roll,
        placement=_placement(spec, shape),
        driver=(release_of(shape, fabric).driver or "default").upper(),
        flex_start_hours=spec.duration if isinstance(spec.purchase, FlexStartPurchase) else None,
        queued=queues_nodes(spec),
        calendar=isinstance(spec.purchase, CapacityBlockPurchase),
    )


def _placement(spec: TrainingSpec, shape: Machine) -> PlacementPlan:
    if isinstance(spec.placement, ReservationPlacement):
        group, periodic = spec.placement.group, spec.placement.host_maintenance == "periodic"
        return PlacementPlan(compact=group is not None, reservation=spec.placement.id, policy=group, periodic=periodic)
    allowed = not isinstance(spec.purchase, FlexStartPurchase) or (
        sold(shape.machine_type, "compact_flex_start") == "yes" and not queues_nodes(spec)
    )
    return PlacementPlan(compact=spec.placement.kind == "group" and allowed)


def co_location(spec: TrainingSpec, placement: PlacementPlan) -> str:
    """The co-location of the nodes, as text."""
    if placement.reservation is not None:
        return f"as reserved in {placement.reservation}"
    if placement.compact:
        return "one compact placement group"
    return "best effort, as flex-start places them" if spec.placement.kind == "group" else "none, a single node"


def training_losses(spec: TrainingSpec, shape: Machine) -> list[str]:
    """Requests of the spec that the machines of the training pool cannot provide."""
    if shape.fabric_gbps == 0:
        losses = [f"GPU fabric: {shape.machine_type} has none; nodes communicate by TCP at {shape.host_gbps} Gb/s"]
    else:
        roce = "; RoCE at 3,200 Gb/s needs H200 (a3-ultragpu-8g)" if shape.accelerator == "h100" else ""
        losses = fabric_losses(spec, shape, instead=roce)
    if shape.nvme_disks == 0:
        losses.append(f"/scratch: {shape.machine_type} has no local disks; it is on the boot disk")
    return losses
