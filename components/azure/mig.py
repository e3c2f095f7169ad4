"""The MIG pool: nodes whose GPUs are sliced, each like the others. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from components.azure.machines import CLOUD
from components.azure.settings import Driver
from components.kubernetes.names import GPU, MIG_POOL, MIG_SLICE, POOL
from components.shapes import Shape, shapes, training_shape
from components.spec import ClusterSpec

__all__ = ["MigPlan", "driver_problems", "mig_losses", "mig_notes", "mig_problems", "plan_mig"]

# Accelerator -> size of a slice -> (slices of one GPU, AKS's profile or None where only the MIG manager makes it).
# Sources: NVIDIA/gpu-operator v26.3.3, assets/state-mig-manager/0400_configmap.yaml; AKS documentation, "Multi-instance
# GPU".
_SLICES: Final[Mapping[str, Mapping[str, tuple[int, str | None]]]] = {
    "h100": {
        "1g.10gb": (7, "MIG1g"),
        "1g.20gb": (4, None),
        "2g.20gb": (3, "MIG2g"),
        "3g.40gb": (2, "MIG3g"),
        "4g.40gb": (1, "MIG4g"),
        "7g.80gb": (1, "MIG7g"),
    },
    "h200": {
        "1g.18gb": (7, "MIG1g"),
        "1g.35gb": (4, None),
        "2g.35gb": (3, "MIG2g"),
        "3g.71gb": (2, "MIG3g"),
        "4g.71gb": (1, "MIG4g"),
        "7g.141gb": (1, "MIG7g"),
    },
    "a100-80gb": {
        "1g.10gb": (7, "MIG1g"),
        "1g.20gb": (4, None),
        "2g.20gb": (3, "MIG2g"),
        "3g.40gb": (2, "MIG3g"),
        "4g.40gb": (1, "MIG4g"),
        "7g.80gb": (1, "MIG7g"),
    },
    "a100-40gb": {
        "1g.5gb": (7, "MIG1g"),
        "1g.10gb": (4, None),
        "2g.10gb": (3, "MIG2g"),
        "3g.20gb": (2, "MIG3g"),
        "4g.20gb": (1, "MIG4g"),
        "7g.40gb": (1, "MIG7g"),
    },
}

# Size of a slice of an H100 SXM with 80 GB -> of an H100 NVL with 94 GB, the one that Azure has to slice. Same source.
_NVL: Final[Mapping[str, str]] = {
    "1g.10gb": "1g.12gb",
    "1g.20gb": "1g.24gb",
    "2g.20gb": "2g.24gb",
    "3g.40gb": "3g.47gb",
    "4g.40gb": "4g.47gb",
    "7g.80gb": "7g.94gb",
}

_BALANCED: Final = "all-balanced"
# Accelerator -> size -> slices of one GPU. Same source, and NVIDIA/mig-parted v0.14.2, pkg/mig/builder/balanced.go: the
# MIG manager writes its layouts on each node from what the GPU there can do.
_BALANCE: Final[Mapping[str, Mapping[str, int]]] = {
    "h100": {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1},
    "h200": {"1g.18gb": 2, "2g.35gb": 1, "3g.71gb": 1},
    "a100-80gb": {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1},
    "a100-40gb": {"1g.5gb": 2, "2g.10gb": 1, "3g.20gb": 1},
}

_GPUS_A_NODE = 8


@dataclass(frozen=True, kw_only=True)
class MigPlan:
    """nodes: machines, of fewer GPUs than the spec's nodes where Azure's are. layout: as the MIG manager names it on
    this GPU. slices: of the whole pool, by size. profile: AKS's name of the layout, where AKS slices; None where the
    operators' MIG manager does. spot: bought as spot.
    """

    shape: Shape
    nodes: int
    layout: str
    slices: Mapping[str, int]
    profile: str | None
    spot: bool
    root_gib: int = 1_000

    @property
    def strategy(self) -> Literal["single", "mixed"]:
        """How pods ask for slices: as `nvidia.com/gpu` where all are alike, else by their size."""
        return "mixed" if self.layout == _BALANCED else "single"

    @property
    def resources(self) -> dict[str, int]:
        """What the pool has for pods to ask for: name -> amount."""
        if self.strategy == "single":
            return {GPU: sum(self.slices.values())}
        return {f"{MIG_SLICE}{size}": count for size, count in self.slices.items()}


def _size(layout: str) -> str:
    return layout.removeprefix("all-")


def _slices_of_a_gpu(accelerator: str, layout: str) -> Mapping[str, int]:
    """Size, as people name it -> slices."""
    if layout == _BALANCED:
        return _BALANCE[accelerator]
    size = _size(layout)
    return {size: _SLICES[accelerator][size][0]}


def _profile(accelerator: str, layout: str) -> str | None:
    """AKS's name of a layout; None where it has none."""
    return None if layout == _BALANCED else _SLICES[accelerator][_size(layout)][1]


def _on_azure(accelerator: str, size: str) -> str:
    return _NVL[size] if accelerator == "h100" else size


def _layouts(accelerator: str) -> list[str]:
    return [*(f"all-{size}" for size in _SLICES[accelerator]), _BALANCED]


def mig_problems(spec: ClusterSpec) -> list[str]:
    """Why the GPUs can't be sliced so, whoever slices them."""
    known = _layouts(spec.accelerator)
    if spec.mig is None or spec.mig.layout in known:
        return []
    return [f"mig.layout is {spec.mig.layout!r}, which {spec.accelerator} does not have; allowed: {', '.join(known)}"]


def driver_problems(spec: ClusterSpec, driver: Driver) -> list[str]:
    """Why this owner of the drivers can't slice the GPUs so, in the words of the stack's configuration."""
    if spec.mig is None or driver == "operators" or mig_problems(spec):
        return []
    if _profile(spec.accelerator, spec.mig.layout) is not None:
        return []
    others = [layout for layout in _layouts(spec.accelerator) if _profile(spec.accelerator, layout) is not None]
    return [
        f"gpuDriver is 'aks', and mig.layout is {spec.mig.layout!r}, which AKS has no profile for; remove gpuDriver, "
        f"so that the operators' MIG manager slices, or change mig.layout to one of {', '.join(others)}"
    ]


def plan_mig(spec: ClusterSpec, driver: Driver) -> MigPlan | None:
    """The pool, of machines without InfiniBand where there are some with this accelerator."""
    if spec.mig is None:
        return None
    accelerator, layout = spec.accelerator, spec.mig.layout
    shape = _shape(accelerator)
    nodes = spec.mig.nodes * _GPUS_A_NODE // shape.gpus
    of_a_gpu = _slices_of_a_gpu(accelerator, layout)
    return MigPlan(
        shape=shape,
        nodes=nodes,
        layout=layout if layout == _BALANCED else f"all-{_on_azure(accelerator, _size(layout))}",
        slices={_on_azure(accelerator, size): nodes * shape.gpus * count for size, count in of_a_gpu.items()},
        profile=_profile(accelerator, layout) if driver == "aks" else None,
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
    asked = _slices_of_a_gpu(spec.accelerator, spec.mig.layout)
    return [
        f"MIG pool: H100 NVL with 94 GB instead of SXM with 80 GB, so slices are {', '.join(plan.slices)} instead of "
        f"{', '.join(asked)}; {plan.nodes} x {plan.shape.machine_type} have the GPUs of {spec.mig.nodes} x 8"
    ]


def mig_notes(plan: MigPlan | None) -> list[str]:
    """What pods have to ask for."""
    if plan is None:
        return []
    resources = ", ".join(f"{count:,} of {name}" for name, count in plan.resources.items())
    return [f"MIG pool: pods select {POOL}: {MIG_POOL} and ask for slices by name; the pool has {resources}"]
