"""The training pool as plain values, on every cloud. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.catalog.machines import Machine
from gpucluster.components.names import NODE_GPUS
from gpucluster.components.problem import Problem
from gpucluster.components.spec.parts import TrainingSpec
from gpucluster.components.spec.training import BlocksPlacement, CapacityBlockPurchase, ReservationPlacement
from gpucluster.record import record


@record(kw_only=True)
class TrainingNodes:
    """active: the capacity is available now; that of a block only while it runs. roll: its nodes may be replaced."""

    shape: Machine
    nodes: int
    spares: int
    active: bool = True
    roll: bool = False

    @property
    def size(self) -> int:
        """Nodes bought: requested and spare."""
        return self.nodes + self.spares

    @property
    def started(self) -> int:
        """Nodes requested from the cloud now: none before a block begins, because every launch would fail until then,
        and none of a paused cluster.
        """
        return self.size if self.active else 0


def has_begun(spec: TrainingSpec) -> bool:
    """Whether the capacity is available now; only a block begins later."""
    return not isinstance(spec.purchase, CapacityBlockPurchase) or spec.purchase.active


def blocks_problems(spec: TrainingSpec, cloud: str) -> list[Problem]:
    """That only AWS has several capacity blocks for one pool."""
    if not isinstance(spec.placement, BlocksPlacement):
        return []
    return [Problem("placement.kind", f"is 'blocks', which {cloud} does not have", "choose reservation, with its id")]


def maintenance_problems(spec: TrainingSpec) -> list[Problem]:
    """A period of host maintenance on a cloud that agrees on none."""
    if not isinstance(spec.placement, ReservationPlacement) or spec.placement.host_maintenance is None:
        return []
    why = f"is {spec.placement.host_maintenance!r}, which only reservations of Google Cloud have"
    return [Problem("placement.host_maintenance", why, "remove it")]


def fabric_losses(spec: TrainingSpec, shape: Machine, *, instead: str = "") -> list[str]:
    """A fabric slower than requested. instead: a machine with a faster one."""
    if shape.fabric_gbps >= spec.training.fabric_gbps:
        return []
    asked, given = f"{spec.training.fabric_gbps:,}", f"{shape.fabric_gbps:,}"
    return [f"GPU fabric: {asked} Gb/s a node requested, {given} on {shape.machine_type}{instead}"]


def training_losses(spec: TrainingSpec, shape: Machine) -> list[str]:
    """Requests of the spec that the machines of the training pool cannot provide."""
    losses = fabric_losses(spec, shape)
    if shape.gpus != NODE_GPUS:
        losses.append(f"GPUs a node: {NODE_GPUS} requested, {shape.gpus} on {shape.machine_type}")
    return losses
