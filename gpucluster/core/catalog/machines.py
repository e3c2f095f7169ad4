"""GPU models and machine types of every cloud, `gpus.csv` and `machines.csv`, one row each; the zones that list them,
`zones.csv`; purchase options that a cloud does not offer, and what it sells in place of a machine, `sold_instead.csv`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, NamedTuple

from gpucluster.core.catalog.tables import Row, rows


@dataclass(frozen=True, kw_only=True)
class Gpu:
    """One model.

    gpu: its name in the other tables. accelerator: its name in a spec; the H100 of 94 GB is an H100 there.
    name: for texts. memory_mib: as reported by the cloud's API, MiB.
    """

    gpu: str
    accelerator: str
    name: str
    memory_mib: int
    source: str
    as_of: str

    @property
    def model(self) -> str:
        """Without its memory and form, e.g. `a100`."""
        return self.gpu.partition("-")[0]


@functools.cache
def gpus() -> Mapping[str, Gpu]:
    """Every model by its name."""
    return {row["gpu"]: Gpu(**{**row, "memory_mib": int(row["memory_mib"])}) for row in rows("gpus")}  # pyright: ignore[reportArgumentType]


_TEXTS: Final = frozenset(("cloud", "machine_type", "gke_gpu", "boot_disk", "quota", "source", "as_of"))
_ALLOWED: Final[Mapping[str, tuple[str, ...]]] = {
    "clusters": ("yes", ""),
    "nvme": ("bundled", "optional", "none"),
    "fabric": ("EFA", "TCPX", "TCPXO", "RoCE", "InfiniBand", "none"),
}


@dataclass(frozen=True, kw_only=True)
class Machine:
    """One machine type. No two clouds share a name.

    Rows of one cloud and accelerator are in the order of preference for a cluster. A number without a source is empty
    in the table and 0 here; the rows of `clusters` have all of them.

    clusters: whether the components build clusters with it.
    gpu: its model in the table of GPUs. memory_gib: RAM, GiB.
    nvme: whether local disks are included in its price, or optional, 375 GiB each. nvme_gb: of all disks
    together, GB. temp_disk_gib: Azure's temporary disk, which may hold the system, GiB.
    fabric: EFA, TCPX, TCPXO, RoCE, InfiniBand or none. fabric_gbps: the node's fabric bandwidth, Gb/s; host_gbps:
    additional IP bandwidth, Gb/s. network_cards: cards of the fabric, from first_card on. interfaces_per_card: EC2's
    maximum on each. network_layers: layers of the network that EC2 reports of an instance, 0 if it reports none.
    gke_gpu: GKE's name of the GPU. boot_disk: a supported boot disk type in GKE. quota: the name of its quota on
    Google Cloud, in GPUs, or on Azure, in vCPUs and with spaces as Azure writes them.
    """

    cloud: str
    machine_type: str
    clusters: bool
    gpu: str
    gpus: int
    vcpus: int
    memory_gib: int
    nvme: Literal["bundled", "optional", "none"]
    nvme_disks: int
    nvme_gb: int
    fabric: str
    fabric_gbps: int
    host_gbps: int
    network_cards: int
    first_card: int
    interfaces_per_card: int
    network_layers: int
    temp_disk_gib: int
    gke_gpu: str
    boot_disk: str
    quota: str
    source: str
    as_of: str

    @property
    def _gpu(self) -> Gpu:
        return gpus()[self.gpu]

    @property
    def accelerator(self) -> str:
        """Its GPU by the name in a spec."""
        return self._gpu.accelerator

    @property
    def model(self) -> str:
        """Its GPU without memory and form, e.g. `a100`."""
        return self._gpu.model

    @property
    def gpu_memory_mib(self) -> int:
        """Memory of one GPU as reported by the cloud's API, MiB."""
        return self._gpu.memory_mib

    @property
    def whole_node(self) -> bool:
        """Whether it has all GPUs of one NVLink domain: such machines are meant for multi-node training."""
        return self.gpus >= 8

    @property
    def fabric_cards(self) -> tuple[int, ...]:
        """Indices of the fabric's network cards."""
        return tuple(range(self.first_card, self.first_card + self.network_cards))

    @property
    def bundled_ssd(self) -> bool:
        """Whether its price includes local SSDs, which Google Cloud sells separately."""
        return self.cloud == "gcp" and self.nvme == "bundled"


@functools.cache
def machines() -> Mapping[str, Machine]:
    """Every machine type by its name."""
    found: dict[str, Machine] = {}
    for row in rows("machines"):
        machine = Machine(**{name: _read(row, name, text) for name, text in row.items()})
        if machine.machine_type in found:
            raise row.bad("machine_type", "it has a row already")
        found[machine.machine_type] = machine
    return found


def _read(row: Row, name: str, text: str) -> Any:
    allowed = tuple(gpus()) if name == "gpu" else _ALLOWED.get(name)
    if allowed is not None:
        if text not in allowed:
            raise row.bad(name, f"allowed: {', '.join(one or 'empty' for one in allowed)}")
        return text == "yes" if name == "clusters" else text
    if name not in _TEXTS and not (text.isascii() and text.isdecimal()) and text:
        raise row.bad(name, "write a whole number, or leave it empty where no source gives one")
    return text if name in _TEXTS else int(text or 0)


def gke_machine(gke_gpu: str, count: Decimal) -> str | None:
    """The machine that GKE uses for a number of GPUs of its type, None if unknown here."""
    found = (name for name, machine in machines().items() if (machine.gke_gpu, machine.gpus) == (gke_gpu, count))
    return next(found, None)


@functools.cache
def _families(column: str) -> Mapping[str, str]:
    return {row["cloud"]: row[column] for row in rows("gpu_families")}


def has_gpus(cloud: str, machine_type: str) -> bool:
    """Whether machines of a type have GPUs, by its name; `azure_sizes` covers those of Azure."""
    return re.fullmatch(_families("names")[cloud], machine_type) is not None


def unlisted(cloud: str, machine_type: str) -> bool:
    """Whether a type belongs to a family for multi-node training, but has no row: its number of GPUs is unknown."""
    return machine_type not in machines() and re.fullmatch(_families("trains")[cloud], machine_type) is not None


@dataclass(frozen=True, kw_only=True)
class CpuMachine:
    """A machine type without GPUs. memory_gib: RAM, GiB."""

    cloud: str
    machine_type: str
    vcpus: int
    memory_gib: int


@functools.cache
def cpu_machines() -> Mapping[str, CpuMachine]:
    """Every machine type by its name."""
    return {
        row["machine_type"]: CpuMachine(
            cloud=row["cloud"],
            machine_type=row["machine_type"],
            vcpus=int(row["vcpus"]),
            memory_gib=int(row["memory_gib"]),
        )
        for row in rows("cpu_machines")
    }


def sold_instead(cloud: str, accelerator: str) -> str:
    """What a cloud sells that has no 8-GPU machine with an accelerator, as a sentence; empty if unknown."""
    return _sold_instead_table().get((cloud, accelerator), "")


@functools.cache
def _sold_instead_table() -> Mapping[tuple[str, str], str]:
    return {(row["cloud"], row["accelerator"]): row["instead"] for row in rows("sold_instead")}


def lustre_efa(machine_type: str) -> int:
    """EFA interfaces for Lustre; 0 if the machine mounts over IP alone."""
    return _lustre_efa_table().get(machine_type, 0)


@functools.cache
def _lustre_efa_table() -> Mapping[str, int]:
    return {row["machine_type"]: int(row["interfaces"]) for row in rows("lustre_efa")}


def zones_of(machine_type: str) -> tuple[str, ...]:
    """The zones known to list a machine type, or `managed-lustre`, Google's file system; empty if unknown. A listed
    zone may still lack capacity. Zones of Amazon are ids; if a source names only a region, it is in place of its zones.
    """
    return _zones().get(machine_type, ())


@functools.cache
def _zones() -> Mapping[str, tuple[str, ...]]:
    return {machine: tuple(row["zones"].split()) for row in rows("zones") for machine in row["machines"].split()}


class _Sold(NamedTuple):
    """A row of `sold.csv`.

    Price lists contain sums of parts for unavailable options; a plan that uses one is wrong about both price and
    capacity.

    machine_types: `*` for any ending. purchase: a purchase option of the price book, `reservation`, `calendar` (a
    reservation in calendar mode), or `compact_flex_start` (flex-start with compact placement). sold: `no`, `rarely` (in
    no table of the cloud, but declared in public blueprints), `listed` (only in a price list), `unlisted` (in no price
    list) or `yes`. why: with `{source}` in it. Options without a row are unknown.
    """

    machine_types: tuple[str, ...]
    purchase: str
    sold: str
    why: str


@functools.cache
def _sold_rows() -> tuple[_Sold, ...]:
    return tuple(
        _Sold(
            tuple(row["machine_types"].split()), row["purchase"], row["sold"], row["why"].format(source=row["source"])
        )
        for row in rows("sold")
    )


@functools.cache
def _sold_row(machine: str, purchase: str) -> _Sold | None:
    alike = (row for row in _sold_rows() if row.purchase == purchase)
    return next((row for row in alike if any(_is_named(machine, name) for name in row.machine_types)), None)


def _is_named(machine: str, name: str) -> bool:
    """By name or pattern; names are not turned into patterns, which would be compiled."""
    return machine == name or ("*" in name and fnmatchcase(machine, name))


def sold(machine: str, purchase: str) -> str:
    """The value of the column `sold`, empty if unknown."""
    found = _sold_row(machine, purchase)
    return "" if found is None else found.sold


def flexible_only(machine: str) -> bool:
    """Whether a machine is sold only as Spot and flex-start."""
    return sold(machine, "on_demand") == sold(machine, "reservation") == "no"


def not_sold(machine: str, purchase: str) -> str | None:
    """Why a machine cannot be bought by this option, None without a reason."""
    found = _sold_row(machine, purchase)
    if found is None or found.sold != "no":
        return None
    return f"{machine} is not sold {purchase.replace('_', ' ')}: {found.why}"


def hard_to_get(machine: str, purchase: str) -> str:
    """Known obstacles to getting a machine by this option, empty without any."""
    found = _sold_row(machine, purchase)
    if found is None or found.sold not in ("rarely", "listed"):
        return ""
    return f"{machine} {purchase.replace('_', ' ')}: {found.why}"
