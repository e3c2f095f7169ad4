"""The MIG pool: nodes whose GPUs are sliced, all alike. Imports no Pulumi."""

from __future__ import annotations

from dataclasses import dataclass

from components.azure.machines import CLOUD
from components.azure.settings import Driver
from components.shapes import Shape, shapes, training_shape
from components.spec import ClusterSpec

__all__ = ["MigPlan", "driver_problems", "mig_losses", "mig_problems", "plan_mig"]

# GPU memory, MiB -> size of a slice as people name it (that of the 80 GB of an SXM) -> (its name on this GPU, slices of
# one GPU, AKS's profile or None where only the MIG manager makes it).
# Sources: NVIDIA/gpu-operator, assets/state-mig-manager/0400_configmap.yaml; AKS documentation, "Multi-instance GPU".
_H100_NVL = {
    "1g.10gb": ("1g.12gb", 7, "MIG1g"),
    "1g.20gb": ("1g.24gb", 4, None),
    "2g.20gb": ("2g.24gb", 3, "MIG2g"),
    "3g.40gb": ("3g.47gb", 2, "MIG3g"),
    "4g.40gb": ("4g.47gb", 1, "MIG4g"),
    "7g.80gb": ("7g.94gb", 1, "MIG7g"),
}
_SAME = {"MIG1g": 7, "MIG2g": 3, "MIG3g": 2, "MIG4g": 1, "MIG7g": 1}
_SLICES = {
    "h100": _H100_NVL,
    "h200": {
        size: (size, _SAME[profile], profile)
        for size, profile in zip(("1g.18gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb"), _SAME, strict=True)
    },
    "a100-80gb": {
        size: (size, _SAME[profile], profile)
        for size, profile in zip(("1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"), _SAME, strict=True)
    },
    "a100-40gb": {
        size: (size, _SAME[profile], profile)
        for size, profile in zip(("1g.5gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"), _SAME, strict=True)
    },
}

_GPUS_A_NODE = 8


@dataclass(frozen=True, kw_only=True)
class MigPlan:
    """nodes: machines, of fewer GPUs than the spec's nodes where Azure's are. size: of every slice, as NVIDIA names it
    on this GPU. profile: AKS's name of it, where AKS slices; None where the operators' MIG manager does. slices: of the
    whole pool. spot: bought as spot.
    """

    shape: Shape
    nodes: int
    size: str
    slices: int
    profile: str | None
    spot: bool
    root_gib: int = 1_000


def _size(layout: str) -> str:
    return layout.removeprefix("all-")


def mig_problems(spec: ClusterSpec) -> list[str]:
    """Why the GPUs can't be sliced so, whoever slices them."""
    known = _SLICES[spec.accelerator]
    if spec.mig is None or _size(spec.mig.layout) in known:
        return []
    sizes = ", ".join(f"all-{size}" for size in known)
    return [f"mig.layout is {spec.mig.layout!r}, which {spec.accelerator} does not have; allowed: {sizes}"]


def driver_problems(spec: ClusterSpec, driver: Driver) -> list[str]:
    """Why this owner of the drivers can't slice the GPUs so, in the words of the stack's configuration."""
    if spec.mig is None or driver == "operators" or mig_problems(spec):
        return []
    if _SLICES[spec.accelerator][_size(spec.mig.layout)][2] is not None:
        return []
    return [
        f"gpuDriver is 'aks', and mig.layout is {spec.mig.layout!r}, which AKS has no profile for; remove it, so that "
        "the operators' MIG manager slices, or choose another layout"
    ]


def plan_mig(spec: ClusterSpec, driver: Driver) -> MigPlan | None:
    """The pool, of machines without InfiniBand where there are some with this accelerator."""
    if spec.mig is None:
        return None
    shape = _shape(spec.accelerator)
    nodes = spec.mig.nodes * _GPUS_A_NODE // shape.gpus
    size, slices, profile = _SLICES[spec.accelerator][_size(spec.mig.layout)]
    return MigPlan(
        shape=shape,
        nodes=nodes,
        size=size,
        slices=nodes * shape.gpus * slices,
        profile=profile if driver == "aks" else None,
        spot=spec.mig.purchase == "spot",
    )


def _shape(accelerator: str) -> Shape:
    """The machine with most GPUs among those without fabric, else the training machine."""
    rows = [row for row in shapes() if (row.cloud, row.accelerator, row.fabric) == (CLOUD, accelerator, "none")]
    return max(rows, key=lambda row: row.gpus) if rows else training_shape(CLOUD, accelerator, 0)


def mig_losses(spec: ClusterSpec, plan: MigPlan | None) -> list[str]:
    """What the pool can't give of what the spec asks."""
    if plan is None or spec.mig is None or plan.shape.gpus == _GPUS_A_NODE:
        return []
    return [
        f"MIG pool: H100 NVL with 94 GB instead of SXM with 80 GB, so slices are {plan.size} instead of "
        f"{_size(spec.mig.layout)}; {plan.nodes} x {plan.shape.machine_type} have the GPUs of {spec.mig.nodes} x 8"
    ]
