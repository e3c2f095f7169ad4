"""How a GPU is cut into MIG slices. Knows no cloud and imports no Pulumi.

A GPU has 7 compute slices and 8 memory slices. A MIG slice takes some of each, and its name says so: 3g.40gb has 3
compute slices and half of the memory of an 80 GB GPU. Where on the GPU it may begin is fixed as well, but whatever
finds enough of both finds a place, too (a test goes through all mixtures).
Sources: NVIDIA Multi-Instance GPU user guide, "Supported MIG profiles" (H100, H200, H100 NVL with 94 GB, A100), and
what `nvidia-smi mig -lgipp` prints on them; NVIDIA/mig-parted v0.14.2, pkg/mig/builder/balanced.go (all-balanced).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from gpucluster.components.problem import Problem

__all__ = ["COMPUTE", "MEMORY", "Kind", "Layout", "Strategy", "layout_of", "layout_problem"]

COMPUTE, MEMORY = 7, 8
Strategy = Literal["single", "mixed"]

# GPU -> GB in the name of what has one, two, four and all eight memory slices.
_GB: Final[Mapping[str, tuple[int, int, int, int]]] = {
    "h100": (10, 20, 40, 80),
    "h100-nvl": (12, 24, 47, 94),
    "h200": (18, 35, 71, 141),
    "a100-80gb": (10, 20, 40, 80),
    "a100-40gb": (5, 10, 20, 40),
}
_BALANCED: Final = "all-balanced"
_SLICE: Final = re.compile(r"(?:(?P<count>[1-9]\d?)x)?(?P<size>[1-7]g(?:\.[1-9]\d*gb)?)")


@dataclass(frozen=True, order=True)
class Kind:
    """compute: of 7 slices. memory: of 8 slices."""

    compute: int
    memory: int

    @property
    def most(self) -> int:
        """How many of it a GPU holds."""
        return min(COMPUTE // self.compute, MEMORY // self.memory)

    def size(self, gpu: str) -> str:
        """Its name on a GPU, such as 1g.10gb."""
        return f"{self.compute}g.{_GB[gpu][self.memory.bit_length() - 1]}gb"


_KINDS: Final = (Kind(1, 1), Kind(1, 2), Kind(2, 2), Kind(3, 4), Kind(4, 4), Kind(7, 8))


@dataclass(frozen=True)
class Layout:
    """What each GPU is cut into. slices: kind -> how many of it, the small ones first."""

    slices: Mapping[Kind, int]

    @property
    def whole(self) -> Kind | None:
        """The kind of all slices, where a GPU has as many of one kind as it holds."""
        [kind, *others] = self.slices
        return kind if not others and self.slices[kind] == kind.most else None

    @property
    def uniform(self) -> bool:
        """Whether all slices are of one kind."""
        return len(self.slices) == 1

    @property
    def strategy(self) -> Strategy:
        """How pods ask for slices where nobody says: by the name of a GPU while all are alike, else by their size."""
        return "single" if self.uniform else "mixed"

    @property
    def unused(self) -> tuple[int, int]:
        """Compute and memory slices of each GPU that nothing has."""
        compute, memory = _taken(self.slices)
        return COMPUTE - compute, MEMORY - memory

    def sizes(self, gpu: str) -> dict[str, int]:
        """Name of a slice on this GPU -> slices of one GPU."""
        return {kind.size(gpu): count for kind, count in self.slices.items()}

    def name(self, gpu: str) -> str:
        """What NVIDIA's MIG manager calls it; a name of ours where it has none. Good for the value of a label."""
        if self.whole is not None:
            return f"all-{self.whole.size(gpu)}"
        if self.slices == _BALANCE:
            return _BALANCED
        return "-".join(f"{count}x{size}" for size, count in reversed(self.sizes(gpu).items()))

    @property
    def known(self) -> bool:
        """Whether the MIG manager brings it."""
        return self.whole is not None or self.slices == _BALANCE


_BALANCE: Final[Mapping[Kind, int]] = {Kind(1, 1): 2, Kind(2, 2): 1, Kind(3, 4): 1}


def _taken(slices: Mapping[Kind, int]) -> tuple[int, int]:
    compute = sum(kind.compute * count for kind, count in slices.items())
    return compute, sum(kind.memory * count for kind, count in slices.items())


def layout_of(text: str, accelerator: str) -> Layout:
    """The layout that a text names. Raises KeyError for one that `layout_problem` has an objection to."""
    if text == _BALANCED:
        return Layout(_BALANCE)
    kinds = {kind.size(accelerator): kind for kind in _KINDS}
    if text.startswith("all-"):
        kind = kinds[text.removeprefix("all-")]
        return Layout({kind: kind.most})
    found: dict[Kind, int] = {}
    for part in text.split("+"):
        match = _SLICE.fullmatch(part)
        if match is None:
            raise KeyError(part)
        found[kinds[match["size"]]] = found.get(kinds[match["size"]], 0) + int(match["count"] or 1)
    return Layout(dict(sorted(found.items())))


def layout_problem(text: str, accelerator: str) -> Problem | None:
    """Why a GPU can't be cut so, in the words of the spec; None where it can."""
    kinds = {kind.size(accelerator): kind for kind in _KINDS}
    unknown = [size for size in _sizes(text) if size not in kinds]
    if unknown:
        return Problem("mig.layout", f"is {text!r}", f"{_unknown(unknown[0], text, accelerator, kinds)}")
    layout = layout_of(text, accelerator)
    compute, memory = _taken(layout.slices)
    if compute <= COMPUTE and memory <= MEMORY:
        return None
    over = [
        f"{used} {what} of {there}"
        for used, there, what in ((compute, COMPUTE, "compute slices"), (memory, MEMORY, "memory slices"))
        if used > there
    ]
    each = "; ".join(
        f"{size} takes {kinds[size].compute} and {kinds[size].memory}, so at most {kinds[size].most} fit"
        for size in layout.sizes(accelerator)
    )
    return Problem(
        "mig.layout",
        f"is {text!r}, which takes {' and '.join(over)} on a GPU ({each})",
        "ask for fewer or smaller ones",
    )


def _sizes(text: str) -> list[str]:
    if text == _BALANCED:
        return []
    if text.startswith("all-"):
        return [text.removeprefix("all-")]
    return [match["size"] if (match := _SLICE.fullmatch(part)) else part for part in text.split("+")]


def _unknown(size: str, text: str, accelerator: str, kinds: Mapping[str, Kind]) -> str:
    here = ", ".join(kinds)
    elsewhere = [(gpu, kind) for gpu in _GB if gpu != accelerator for kind in _KINDS if kind.size(gpu) == size]
    if elsewhere:
        gpu, kind = elsewhere[0]
        same = text.replace(size, kind.size(accelerator))
        if gpu == "h100-nvl" and accelerator == "h100":
            return (
                f"{size} is what Azure's H100 NVL with 94 GB has instead of {kind.size(accelerator)}: write {same}, "
                "and Azure's plan says what becomes of it"
            )
        return f"{size} is a slice of {gpu}; {accelerator} has {here}: write {same}"
    short = [name for name in kinds if name.startswith(f"{size}.")]
    if short:
        return f"{size} needs its memory, too: {' or '.join(short)}"
    return f"{accelerator} has no {size}; allowed: {here}, as all-SIZE or as a mixture such as {_example(accelerator)}"


def _example(accelerator: str) -> str:
    return f"3x{Kind(2, 2).size(accelerator)}+1x{Kind(1, 1).size(accelerator)}"
