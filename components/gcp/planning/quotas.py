"""Project quotas that a cluster needs; a plan can't look up their current values. Imports no Pulumi.

Which quota a machine counts against: Compute Engine documentation, "Allocation quotas". A calendar reservation charges
none; Spot and flex-start charge the preemptible one. Source: Google Cloud documentation, Cluster Director "Choose a
consumption option". vCPUs and local disks count by the machine's family. Source: Google Cloud documentation, Cloud
Quotas "Terminology" and "Request a quota adjustment".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.components.planning.planning import Planning
from gpucluster.core.catalog.machines import Machine
from gpucluster.core.program.questions import Question

BALANCED_DISKS: Final = "{:,} SSD_TOTAL_GB"
"""Of type pd-balanced. Source: terraform-google-modules/terraform-google-kubernetes-engine issue 1795."""
LUSTRE: Final = "{:,} GiB of Managed Lustre"
NETWORKS: Final = "{:,} VPC networks"
ADDRESSES: Final = "IN_USE_ADDRESSES for NAT"

_DISKS: Final = {"hyperdisk-balanced": "{:,} HDB_TOTAL_GB", "pd-balanced": BALANCED_DISKS}
"""Type of a boot disk -> its quota. Source: Compute Engine API v1, discovery document of 2026-11-06, `Quota.metric`."""
_LOCAL_DISK_GB: Final = 375
"""Source: Compute Engine documentation, "Local SSD disks"."""

# Parts of the names of quotas, in the order in which they are reported.
_ORDER: Final = ("_gpus", "vcpus", "local_ssd", "_total_gb", LUSTRE.lower(), NETWORKS.lower(), ADDRESSES.lower())


def add_machines(
    planning: Planning[Any],
    shape: Machine,
    nodes: int,
    *,
    preemptible: bool,
    root_gib: int,
    disk: str | None = None,
    local: bool = True,
) -> None:
    """The quotas of a pool. root_gib: of each boot disk. disk: its type, None for that of the machine. local: whether
    the pool uses the machine's local disks.
    """
    family, needed = shape.machine_type.partition("-")[0].upper(), planning.quotas
    needed[f"{{:,}} {'PREEMPTIBLE_' if preemptible else ''}{shape.quota}"] += nodes * shape.gpus
    needed[f"{{:,}} {'preemptible ' if preemptible else ''}vCPUs of {family} (CPUS-PER-VM-FAMILY)"] += (
        nodes * shape.vcpus
    )
    local_disks = "PREEMPTIBLE_LOCAL_SSD_GB" if preemptible else "GB of local_ssd_total_storage_per_vm_family"
    needed[f"{{:,}} {local_disks}"] += nodes * shape.nvme_disks * _LOCAL_DISK_GB * local
    needed[_DISKS[disk or shape.boot_disk]] += nodes * root_gib


def report_quotas(planning: Planning[Any], *, reserved: bool = False) -> None:
    """The quotas that decide whether the parts start, with the amounts that they added, in one line. reserved: a
    reservation holds the training machines, which may count already.
    """
    needed = {text: planning.quotas[text] for text in sorted(planning.quotas, key=_rank) if planning.quotas[text]}
    parts = [text.format(amount) for text, amount in needed.items()]
    note = (
        f"required quotas in {planning.location.region}: {', '.join(parts)}; GPUS-ALL-REGIONS-per-project "
        "limits all GPUs together"
    )
    families = sorted({found[1] for text in needed if (found := re.search(r"vCPUs of (\w+) ", text))})
    gpus = sum(amount for text, amount in needed.items() if text.endswith("_GPUS"))
    everywhere = Exact(metric="gpus_all_regions", unit="GPUs", sandbox="GPUS_ALL_REGIONS", held=True, regional=False)
    asked = [(amount, exact) for text, amount in needed.items() for exact in exact_names(text, families)]
    asked += [(gpus, everywhere)] if gpus else []
    planning.ask(*(exact.question(amount, planning.location, note, reserved=reserved) for amount, exact in asked))


def _rank(text: str) -> int:
    return next(rank for rank, part in enumerate(_ORDER) if part in text.lower())


_OLD_GPUS: Final = frozenset({"NVIDIA_A100", "NVIDIA_A100_80GB"})
"""GPUs in machines of this project with their own on-demand quota; newer ones share one by family. Source:
Compute Engine API v1, discovery document of 2026-11-06, `Quota.metric`."""
_OLD_CPUS: Final = frozenset({"A2"})
"""Machine families likewise, for vCPUs. Source: the same."""


@dataclass(frozen=True, kw_only=True)
class Exact:
    """A quota by its names in Google's APIs.

    metric: without its service. unit: of amounts. family: dimension=value of a quota that counts families apart.
    sandbox: its name in a scenario; empty if the sandbox does not count it. held: a reservation of machines counts
    against it. sure: whether a source says that it limits what the plan needs.

    Sources: Cloud Quotas documentation, "Implement common use cases" (GPUS-PER-GPU-FAMILY, its dimensions and
    NVIDIA_H100); Cloud Monitoring documentation, "Google Cloud metrics" (gpus_per_gpu_family, cpus_per_vm_family,
    local_ssd_total_storage_per_vm_family); Compute Engine API v1, `Quota.metric`, for all others. No page of Google's
    lists the family NVIDIA_H100_MEGA: public outputs of its API do.
    """

    metric: str
    unit: str
    service: str = "compute.googleapis.com"
    family: str = ""
    sandbox: str = ""
    held: bool = False
    regional: bool = True
    sure: bool = True

    @property
    def id(self) -> str:
        """In Cloud Quotas; empty if no source has it."""
        if self.metric.startswith("local_ssd_total_storage") or self.service != "compute.googleapis.com":
            return ""
        return f"{self.metric.upper().replace('_', '-')}-per-project{'-region' if self.regional else ''}"

    def question(self, amount: int, location: Any, note: str, *, reserved: bool) -> Question:
        """Whether the project may use this amount. reserved: as of `report_quotas`."""
        name = self.id or self.metric or "capacity of Managed Lustre"
        place = location.region if self.regional else ""
        return Question(
            about="quota",
            subject=f"{name} {self.family}".rstrip(),
            needed=amount,
            unit=self.unit,
            place=location.zone if self.service.startswith("lustre") else place,
            details={
                "service": self.service,
                "metric": self.metric,
                "id": self.id,
                "family": self.family,
                "sandbox": self.sandbox,
            },
            note=note,
            decides=self.sure and not (reserved and self.held),
        )


def exact_names(text: str, families: list[str]) -> list[Exact]:
    """The quotas of a part of the line, by which Google counts it. families: of the machines, such as A3."""
    name = text.removeprefix("{:,} ")
    if name.endswith("_GPUS"):
        family = name.removesuffix("_GPUS")
        if name.startswith("PREEMPTIBLE_") or family in _OLD_GPUS:
            held = not name.startswith("PREEMPTIBLE_")
            return [Exact(metric=name.lower(), unit="GPUs", sandbox=name, held=held)]
        return [
            Exact(metric="gpus_per_gpu_family", unit="GPUs", family=f"gpu_family={family}", sandbox=name, held=True)
        ]
    if name.startswith("preemptible vCPUs"):
        # In a project without this quota, preemptible machines count against the standard one. Source: Compute Engine
        # documentation, "Preemptible VM instances" (quotas).
        return [Exact(metric="preemptible_cpus", unit="vCPUs", sure=False)]
    if found := re.match(r"vCPUs of (\w+) ", name):
        if found[1] in _OLD_CPUS:
            return [Exact(metric=f"{found[1].lower()}_cpus", unit="vCPUs", held=True)]
        return [Exact(metric="cpus_per_vm_family", unit="vCPUs", family=f"vm_family={found[1]}", held=True)]
    if text == "{:,} GB of local_ssd_total_storage_per_vm_family":
        metric = "local_ssd_total_storage_per_vm_family"
        return [
            # No source says that it counts those of older families.
            Exact(metric=metric, unit="GB", family=f"vm_family={one}", held=True, sure=one not in _OLD_CPUS)
            for one in families
        ]
    if text == LUSTRE:
        return [Exact(service="lustre.googleapis.com", metric="", unit="GiB")]
    if text == NETWORKS:
        return [Exact(metric="networks", unit="networks", sandbox="NETWORKS", regional=False)]
    if text == ADDRESSES:
        return [Exact(metric="in_use_addresses", unit="addresses")]
    return [Exact(metric=name.lower(), unit="GB")]
