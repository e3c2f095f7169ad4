"""Partition of a GPU into MIG slices. Independent of clouds; imports no Pulumi.

A GPU has 7 compute slices and 8 memory slices. A MIG slice uses some of each, and its name states them: 3g.40gb has 3
compute slices and half of the memory of an 80 GB GPU. Its possible start positions on the GPU are fixed as well, but if
enough of both are free, a position is free, too (a test checks all mixtures).
Sources: output of `nvidia-smi mig -lgipp` on H100, H200 and A100; NVIDIA/mig-parted v0.14.2,
pkg/mig/builder/balanced.go (all-balanced). The slices of each GPU are in the catalog.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from gpucluster.components.planning.problem import Problem
from gpucluster.core.catalog.mig import slices, slices_of

COMPUTE, MEMORY = 7, 8
Strategy = Literal["single", "mixed"]

_BALANCED: Final = "all-balanced"
_SLICE: Final = r"(?:(?P<count>[1-9]\d?)x)?(?P<size>[1-7]g(?:\.[1-9]\d*gb)?)"


class Kind(NamedTuple):
    """compute: of 7 slices. memory: of 8 slices."""

    compute: int
    memory: int

    @property
    def most(self) -> int:
        """Maximum number of such slices on a GPU."""
        return min(COMPUTE // self.compute, MEMORY // self.memory)

    def size(self, gpu: str) -> str:
        """Its name on a GPU, such as 1g.10gb."""
        return next(size for size, kind in kinds_of(gpu).items() if kind == self)


def kinds_of(gpu: str) -> Mapping[str, Kind]:
    """Name of a slice on this GPU -> its kind, except those with their own media engines."""
    return {found.size: Kind(found.compute, found.memory) for found in slices_of(gpu) if not found.media}


@dataclass(frozen=True)
class Layout:
    """The slices of each GPU. slices: kind -> count, the small ones first."""

    slices: Mapping[Kind, int]

    @property
    def whole(self) -> Kind | None:
        """The kind of all slices, if the GPU has only this kind, and the maximum number of it."""
        [kind, *others] = self.slices
        return kind if not others and self.slices[kind] == kind.most else None

    @property
    def uniform(self) -> bool:
        """Whether all slices are of one kind."""
        return len(self.slices) == 1

    @property
    def strategy(self) -> Strategy:
        """How pods request slices by default: as a GPU if all slices are equal, else by size."""
        return "single" if self.uniform else "mixed"

    @property
    def unused(self) -> tuple[int, int]:
        """Unused compute and memory slices of each GPU."""
        compute, memory = _taken(self.slices)
        return COMPUTE - compute, MEMORY - memory

    def sizes(self, gpu: str) -> dict[str, int]:
        """Name of a slice on this GPU -> slices of one GPU."""
        return {kind.size(gpu): count for kind, count in self.slices.items()}

    def name(self, gpu: str) -> str:
        """Its name in NVIDIA's MIG manager, else a name of this toolkit. Valid as the value of a label."""
        if self.whole is not None:
            return f"all-{self.whole.size(gpu)}"
        if self.slices == _BALANCE:
            return _BALANCED
        return "-".join(f"{count}x{size}" for size, count in reversed(self.sizes(gpu).items()))

    @property
    def known(self) -> bool:
        """Whether the MIG manager includes it."""
        return self.whole is not None or self.slices == _BALANCE


_BALANCE: Final[Mapping[Kind, int]] = {Kind(1, 1): 2, Kind(2, 2): 1, Kind(3, 4): 1}


def _taken(slices: Mapping[Kind, int]) -> tuple[int, int]:
    compute = sum(kind.compute * count for kind, count in slices.items())
    return compute, sum(kind.memory * count for kind, count in slices.items())


def layout_of(text: str, accelerator: str) -> Layout:
    """The layout that a text names. Raises KeyError for unknown slices, which `layout_problem` reports."""
    if text == _BALANCED:
        return Layout(_BALANCE)
    kinds = kinds_of(accelerator)
    if text.startswith("all-"):
        kind = kinds[text.removeprefix("all-")]
        return Layout({kind: kind.most})
    found: dict[Kind, int] = {}
    for part in text.split("+"):
        match = re.fullmatch(_SLICE, part)
        if match is None:
            raise KeyError(part)
        found[kinds[match["size"]]] = found.get(kinds[match["size"]], 0) + int(match["count"] or 1)
    return Layout(dict(sorted(found.items())))


def layout_problem(text: str, accelerator: str) -> Problem | None:
    """Why a GPU can't be partitioned this way, in the terms of the spec; None if it can."""
    kinds = kinds_of(accelerator)
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
        f"{size} uses {kinds[size].compute} and {kinds[size].memory}, so at most {kinds[size].most} fit"
        for size in layout.sizes(accelerator)
    )
    return Problem(
        "mig.layout",
        f"is {text!r}, which needs {' and '.join(over)} on a GPU ({each})",
        "request fewer or smaller slices",
    )


def _sizes(text: str) -> list[str]:
    if text == _BALANCED:
        return []
    if text.startswith("all-"):
        return [text.removeprefix("all-")]
    return [match["size"] if (match := re.fullmatch(_SLICE, part)) else part for part in text.split("+")]


def _unknown(size: str, text: str, accelerator: str, kinds: Mapping[str, Kind]) -> str:
    here = ", ".join(kinds)
    elsewhere = [found for found in slices() if (found.size, found.media) == (size, False)]
    if elsewhere:
        gpu, kind = elsewhere[0].gpu, Kind(elsewhere[0].compute, elsewhere[0].memory)
        same = text.replace(size, kind.size(accelerator))
        if gpu == "h100-nvl" and accelerator == "h100":
            return (
                f"{size} is a slice of Azure's H100 NVL with 94 GB, in place of {kind.size(accelerator)}: write "
                f"{same}; the plan on Azure reports the slice it uses"
            )
        return f"{size} is a slice of {gpu}; {accelerator} has {here}: write {same}"
    short = [name for name in kinds if name.startswith(f"{size}.")]
    if short:
        return f"{size} lacks its memory: {' or '.join(short)}"
    return f"{accelerator} has no {size}; allowed: {here}, as all-SIZE or as a mixture such as {_example(accelerator)}"


def _example(accelerator: str) -> str:
    return f"3x{Kind(2, 2).size(accelerator)}+1x{Kind(1, 1).size(accelerator)}"
