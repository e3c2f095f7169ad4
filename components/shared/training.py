"""The training pool as plain values, on every cloud. Imports no Pulumi."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpucluster.components.planning.names import NODE_GPUS, TRAINING_POOL
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.pools import (
    BlocksPlacement,
    CapacityBlockPurchase,
    Placement,
    Purchase,
    ReservationPlacement,
    Training,
)
from gpucluster.core.catalog.machines import Machine


@dataclass(frozen=True, kw_only=True)
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


def is_active(purchase: Purchase) -> bool:
    """Whether the capacity is available now; only a block begins later."""
    return not isinstance(purchase, CapacityBlockPurchase) or purchase.active


def refuse_blocks(placement: Placement, title: str, planning: Planning[Any]) -> None:
    """Only AWS has several capacity blocks for one pool. title: the cloud's."""
    if isinstance(placement, BlocksPlacement):
        seen = f"is 'blocks', which {title} does not have"
        planning.refuse("placement.kind", seen, "choose reservation, with its id")


def refuse_maintenance(placement: Placement, planning: Planning[Any]) -> None:
    """A period of host maintenance on a cloud that agrees on none."""
    if isinstance(placement, ReservationPlacement) and placement.host_maintenance is not None:
        why = f"is {placement.host_maintenance!r}, which only reservations of Google Cloud have"
        planning.refuse("placement.host_maintenance", why, "remove it")


def report_fabric(training: Training, shape: Machine, planning: Planning[Any], *, instead: str = "") -> None:
    """A fabric slower than requested is lost. instead: a machine with a faster one."""
    if shape.fabric_gbps < training.fabric_gbps:
        requested, available = f"{training.fabric_gbps:,}", f"{shape.fabric_gbps:,}"
        planning.losses.append(
            f"GPU fabric: {requested} Gb/s a node requested, {available} on {shape.machine_type}{instead}"
        )


def report_gpus(shape: Machine, planning: Planning[Any]) -> None:
    """A node with fewer GPUs than requested."""
    if shape.gpus != NODE_GPUS:
        planning.losses.append(f"GPUs a node: {NODE_GPUS} requested, {shape.gpus} on {shape.machine_type}")


def report_roll(roll: bool, planning: Planning[Any], pool: str = TRAINING_POOL) -> None:
    """pool: its field in the spec."""
    if roll:
        planning.notes.append(
            f"{pool}.roll: an update may replace the nodes of the {pool} pool, which ends the jobs on them; remove it "
            "after the update"
        )
