"""The MIG pool: its machines, the resources that pods request, and their number. Imports no Pulumi."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gpucluster.components.planning.mig_layout import COMPUTE, MEMORY, Layout, Strategy, layout_of
from gpucluster.components.planning.names import GPU, MIG_POOL, MIG_SLICE, NODE_GPUS, POOL
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.training import report_roll
from gpucluster.components.spec.pools import Mig
from gpucluster.core.catalog.machines import Machine
from gpucluster.core.program.facts import Slices


@dataclass(frozen=True, kw_only=True)
class MigResources:
    """Resources of a pool for pods. slices: of the whole pool, by size. gpus: of the whole pool."""

    layout: Layout
    gpu: str
    gpus: int
    strategy: Strategy

    @property
    def slices(self) -> dict[str, int]:
        return {size: self.gpus * count for size, count in self.layout.sizes(self.gpu).items()}

    @property
    def resources(self) -> dict[str, int]:
        """Resource that pods request -> its amount."""
        if self.strategy == "single":
            return {GPU: sum(self.slices.values())}
        return {f"{MIG_SLICE}{size}": count for size, count in self.slices.items()}

    @property
    def shares(self) -> tuple[Slices, ...]:
        """Slices of each size, and the share of the 8 memory slices that each has, by which cost is divided."""
        return tuple(
            Slices(size=kind.size(self.gpu), count=Decimal(self.gpus * count), eighths=Decimal(kind.memory))
            for kind, count in self.layout.slices.items()
        )


@dataclass(frozen=True, kw_only=True)
class MigMachines:
    """nodes: machines, with fewer GPUs than the spec's nodes if the cloud offers such. roll: they may be replaced."""

    shape: Machine
    nodes: int
    pool: MigResources
    roll: bool = False
    root_gib: int = 200

    @property
    def started(self) -> int:
        """Nodes that run: all of them."""
        return self.nodes

    def __str__(self) -> str:
        """A description to print."""
        sizes = ", ".join(f"{count} x {size}" for size, count in self.pool.slices.items())
        return f"{self.nodes} x {self.shape.machine_type}: {sizes}"


def sliced(mig: Mig, accelerator: str, shape: Machine) -> tuple[int, MigResources]:
    """The number of machines of a shape for the requested GPUs, and their resources for pods."""
    layout, nodes = layout_of(mig.layout, accelerator), mig.nodes * NODE_GPUS // shape.gpus
    strategy = mig.strategy or layout.strategy
    return nodes, MigResources(layout=layout, gpu=shape.gpu, gpus=nodes * shape.gpus, strategy=strategy)


def report_mig(mig: Mig, pool: MigResources, planning: Planning[Any], selector: str = f"{POOL}: {MIG_POOL}") -> None:
    """Notes on resources that pods must request, and on unused parts of the GPUs. selector: label of the nodes."""
    resources = ", ".join(f"{count:,} x {name}" for name, count in pool.resources.items())
    planning.notes.append(
        f"MIG pool: {resources}; pods select {selector}, because whole GPUs and slices have the same name"
    )
    kinds = zip(pool.layout.unused, (COMPUTE, MEMORY), ("compute slices", "memory slices"), strict=True)
    unused = [f"{count} of {there} {what}" for count, there, what in kinds if count]
    # Unavoidable: GPUs have one memory slice more than compute slices.
    if pool.layout.unused not in ((0, 0), (0, MEMORY - COMPUTE)):
        planning.notes.append(f"MIG pool: nothing uses {' and '.join(unused)} of each GPU")
    report_roll(mig.roll, planning, MIG_POOL)
