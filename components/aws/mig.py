"""The MIG pool on AWS: single-GPU machines, each GPU sliced like the others. Imports no Pulumi."""

from __future__ import annotations

from typing import Final

from gpucluster.catalog.machines import Machine
from gpucluster.components.mig import MigMachines, sliced
from gpucluster.components.shapes import shapes_with, training_shape
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.record import record

_CLOUD: Final = "aws"
# GPUs that enable MIG mode without a reset, which AWS's A100 may refuse until the machine restarts.
# Sources: NVIDIA Multi-Instance GPU user guide, "Deployment considerations"; NVIDIA/gpu-operator #1606.
_SLICED: Final = ("h100", "h200")


@record(kw_only=True)
class MigPlan(MigMachines):
    """spot: bought as spot."""

    spot: bool

    @property
    def slices_of_a_gpu(self) -> tuple[str, ...]:
        """Sizes, the large ones first: they fit in the fewest positions."""
        sizes = reversed(self.pool.layout.sizes(self.pool.gpu).items())
        return tuple(size for size, count in sizes for _ in range(count))


def mig_not_built(spec: ClusterSpec) -> list[str]:
    """Parts that the spec requests and this cluster lacks."""
    if spec.mig is None or spec.accelerator in _SLICED:
        return []
    return [f"mig: {spec.mig.nodes} nodes of {spec.mig.layout}; on {spec.accelerator} MIG mode needs a GPU reset"]


def plan_mig(spec: ClusterSpec) -> MigPlan | None:
    """The pool, of single-GPU machines if available: small machines are bought, started and lost one by one."""
    if spec.mig is None or mig_not_built(spec):
        return None
    shape = _shape(spec.accelerator)
    nodes, pool = sliced(spec.mig, spec.accelerator, shape)
    return MigPlan(shape=shape, nodes=nodes, pool=pool, roll=spec.mig.roll, spot=spec.mig.purchase == "spot")


def _shape(accelerator: str) -> Machine:
    rows = [row for row in shapes_with(_CLOUD, accelerator) if row.gpus == 1]
    return rows[0] if rows else training_shape(_CLOUD, accelerator, 0)
