"""Items sold in sizes, by their names: machines of a family, tiers of a file system, disks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Final

from gpucluster.core.catalog.azure_regions import DISK_GIB
from gpucluster.core.catalog.machines import machines

_Sizes = tuple[Decimal, ...]

_WORDS: Final = ("nano", "micro", "small", "medium", "large", "xlarge")
"""Size names, each twice the previous one (EC2 user guide, instance types)."""

_GPUS: Final[Mapping[str, int]] = {"12xlarge": 4, "24xlarge": 4, "48xlarge": 8}
"""GPUs of the sizes of g4dn, g5 and g6e (meta-pytorch/torchx: torchx/specs/named_resources_aws.py), and of g6, which
has the sizes of g6e; the other sizes have one GPU.
"""

_G2_GPUS: Final[Mapping[str, int]] = {"24": 2, "48": 4, "96": 8}
"""GPUs of the sizes of Google's G2; the other sizes have one (Google Cloud documentation, GPU machine types)."""

_SERIES: Final = re.compile(r"(e2|n2|n4|c3)-(?:(standard|highmem|highcpu)-(\d+)|custom-(\d+)-(\d+))")
_GIB_PER_VCPU: Final[Mapping[str, int]] = {"standard": 4, "highmem": 8, "highcpu": 2}
_GIB_PER_HIGHCPU: Final[Mapping[str, int]] = {"e2": 1, "n2": 1}
"""Memory of Google's machines, and those that differ (Google Cloud documentation, general-purpose machine family). The
price of such a machine, and of a custom one, is the sum of its vCPUs and its memory.
"""


def _of_number(size: str) -> _Sizes:
    return (Decimal(size),)


def _of_word(size: str) -> _Sizes:
    many = size.removesuffix("xlarge")
    return (Decimal(32 * int(many)) if many.isdigit() else Decimal(2 ** _WORDS.index(size)),)


def _of_word_with_gpus(size: str) -> _Sizes:
    return (*_of_word(size), Decimal(_GPUS.get(size, 1)))


def _of_g2(size: str) -> _Sizes:
    return (Decimal(size), Decimal(_G2_GPUS.get(size, 1)))


def _of_plan(size: str) -> _Sizes:
    """Each App Service plan has twice the cores of the previous one."""
    return (Decimal(2 ** int(size)),)


def _of_disk(size: str) -> _Sizes:
    return (Decimal(DISK_GIB.get(int(size), 0)),)


_WORD: Final = rf"{'|'.join(_WORDS)}|\d+xlarge"
_FORMS: Final[tuple[tuple[str, Callable[[str], _Sizes]], ...]] = (
    (rf"(g4dn\.|g5\.|g6e?\.)({_WORD})()", _of_word_with_gpus),
    (rf"(?!(?:g|p|f|inf|trn|dl|vt)\d|redis-cluster)(.+[._-])({_WORD})((?:-multi-az)?)", _of_word),
    (r"(.*standard_[de])(\d+)([a-z]*_v[3-9])", _of_number),
    (r"(.*standard_f)(\d+)(s_v2)", _of_number),
    (r"(g2-standard-)(\d+)()", _of_g2),
    (r"(?![ag]\d-)(\w+-(?:standard|highmem|highcpu)-)(\d+)()", _of_number),
    (r"(managed-lustre-|fsx-lustre-persistent\d-ssd-|AMLFS-Durable-Premium-)(\d+)()", _of_number),
    (r"(sql-database-\w+_gen5_)(\d+)()", _of_number),
    (r"(app-service-\w+-[bsp])([0-3])((?:v\d)?)", _of_plan),
    (r"(managed-disk-[EPS])(\d+)(-[lz]rs)", _of_disk),
)
"""Patterns of size names: before, size, after. Machines listed in the machine table have their sizes there. Compiled
when a price is first missing, as few programs need them.
"""


@dataclass(frozen=True)
class Family:
    """name: shared by siblings. sizes: one number for each measure, such as vCPUs and GPUs. by_gpu: whether the price
    is in proportion to the GPUs.
    """

    name: str
    sizes: _Sizes
    by_gpu: bool = False

    def proportions(self, other: Family) -> tuple[Decimal, ...]:
        """Its size divided by the other's: of GPUs where a machine is sold by them, else by each measure."""
        ratios = tuple(size / its for size, its in zip(self.sizes, other.sizes, strict=True))
        return ratios[-1:] if self.by_gpu else ratios

    def ratio(self, smaller: Family) -> Decimal | None:
        """Largest ratio of its sizes to those of `smaller`; None if any measure is smaller, or all are equal."""
        ratios = [size / its for size, its in zip(self.sizes, smaller.sizes, strict=True)]
        return max(ratios) if min(ratios) >= 1 and max(ratios) > 1 else None


@cache
def family_of(sku: str) -> Family | None:
    """The family of an item, None if its name indicates none."""
    family = _family_of(sku)
    return family if family is not None and all(family.sizes) else None  # 0 is an invalid size


def _family_of(sku: str) -> Family | None:
    if machine := machines().get(sku):
        return Family(re.sub(r"\d+(?=xlarge$|g$)", "*", sku), (Decimal(machine.vcpus), Decimal(machine.gpus)), True)
    if found := _SERIES.fullmatch(sku):
        return _of_series(*found.groups())
    for form, sizes in _FORMS:
        if found := re.fullmatch(form, sku, re.IGNORECASE):
            before, name, after = found.groups()
            return Family(f"{before}*{after}", sizes(name.lower()))
    return None


def _of_series(series: str, kind: str | None, size: str, vcpus: str, mib: str) -> Family:
    """A machine of Google by vCPUs and GiB; `vcpus` and `mib` are those of a custom one."""
    if kind is None:
        return Family(f"{series}-vcpus-gib", (Decimal(vcpus), Decimal(mib) / 1024))
    per_vcpu = _GIB_PER_HIGHCPU.get(series, _GIB_PER_VCPU[kind]) if kind == "highcpu" else _GIB_PER_VCPU[kind]
    return Family(f"{series}-vcpus-gib", (Decimal(size), Decimal(size) * per_vcpu))


def in_family(family: Family, sku: str) -> bool:
    """Whether an item belongs to a family."""
    other = family_of(sku)
    return other is not None and other.name == family.name
