"""The MIG pool: single-GPU machines, each GPU sliced like the others. Imports no Pulumi."""

from __future__ import annotations

from typing import Final

from gpucluster.catalog.machines import Machine
from gpucluster.components.mig import MigResources, mig_note
from gpucluster.components.mig_layout import layout_of
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import shapes, training_shape
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.record import record

_CLOUD: Final = "aws"
_GPUS_A_NODE: Final = 8
# GPUs that take MIG mode without a reset, which AWS's A100 may refuse until the machine starts again.
# Sources: NVIDIA Multi-Instance GPU user guide, "Deployment considerations"; NVIDIA/gpu-operator #1606.
_SLICED: Final = ("h100", "h200")


@record(kw_only=True)
class MigPlan:
    """nodes: machines, of fewer GPUs than the spec's nodes where AWS has them with one. spot: bought as spot. roll: its
    nodes may be replaced.
    """

    shape: Machine
    nodes: int
    pool: MigResources
    spot: bool
    roll: bool = False
    root_gib: int = 200

    @property
    def slices_of_a_gpu(self) -> tuple[str, ...]:
        """Sizes, the large ones first: they have the fewest places to be in."""
        sizes = reversed(self.pool.layout.sizes(self.pool.gpu).items())
        return tuple(size for size, count in sizes for _ in range(count))


def mig_problems(spec: ClusterSpec) -> list[Problem]:
    """What the spec would buy and AWS does not sell."""
    if spec.mig is None or spec.mig.purchase != "flex-start":
        return []
    return [
        Problem(
            "mig.purchase", "is 'flex-start', which Google Cloud sells and AWS does not", "choose on-demand or spot"
        )
    ]


def mig_not_built(spec: ClusterSpec) -> list[str]:
    """What of the spec this cluster does not contain."""
    if spec.mig is None or spec.accelerator in _SLICED:
        return []
    return [
        f"mig: {spec.mig.nodes} nodes of {spec.mig.layout}; on {spec.accelerator} the mode needs a reset of the GPU"
    ]


def plan_mig(spec: ClusterSpec) -> MigPlan | None:
    """The pool, of machines with one GPU where there are some: small ones are bought, started and lost one by one."""
    if spec.mig is None or mig_not_built(spec):
        return None
    layout, shape = layout_of(spec.mig.layout, spec.accelerator), _shape(spec.accelerator)
    nodes = spec.mig.nodes * _GPUS_A_NODE // shape.gpus
    return MigPlan(
        shape=shape,
        nodes=nodes,
        pool=MigResources(
            layout=layout,
            gpu=spec.accelerator,
            gpus=nodes * shape.gpus,
            strategy=spec.mig.strategy or layout.strategy,
        ),
        spot=spec.mig.purchase == "spot",
        roll=spec.mig.roll,
    )


def _shape(accelerator: str) -> Machine:
    rows = [row for row in shapes() if (row.cloud, row.accelerator, row.gpus) == (_CLOUD, accelerator, 1)]
    return rows[0] if rows else training_shape(_CLOUD, accelerator, 0)


def mig_notes(plan: MigPlan | None) -> list[str]:
    """What pods have to ask for."""
    return [] if plan is None else mig_note(plan.pool)
