"""Project quotas that a cluster needs; a plan can't look up their current values. Imports no Pulumi.

Which quota a machine counts against: Compute Engine documentation, "Allocation quotas". A calendar reservation charges
none; Spot and flex-start charge the preemptible one. Source: Google Cloud documentation, Cluster Director "Choose a
consumption option". vCPUs and local disks count by the machine's family. Source: Google Cloud documentation, Cloud
Quotas "Terminology" and "Request a quota adjustment".
"""

from __future__ import annotations

from typing import Any, Final

from gpucluster.components.planning.planning import Planning
from gpucluster.core.catalog.machines import Machine

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


def report_quotas(planning: Planning[Any]) -> None:
    """The quotas that decide whether the parts start, with the amounts that they added, in one line."""
    parts = [text.format(planning.quotas[text]) for text in sorted(planning.quotas, key=_rank) if planning.quotas[text]]
    planning.before_up.append(
        f"required quotas in {planning.location.region}: {', '.join(parts)}; GPUS-ALL-REGIONS-per-project "
        "limits all GPUs together"
    )


def _rank(text: str) -> int:
    return next(rank for rank, part in enumerate(_ORDER) if part in text.lower())
