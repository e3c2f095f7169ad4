"""Project quotas that a cluster needs; a plan can't look up their current values. Imports no Pulumi."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.pools import ElasticPlan, MigPlan
from gpucluster.components.gcp.planning.training import TrainingPlan
from gpucluster.components.planning.planning import Planning
from gpucluster.core.catalog.machines import Machine

_PD: Final = "SSD_TOTAL_GB"
"""Quota of disks of type pd-balanced. Source: terraform-google-modules/terraform-google-kubernetes-engine issue 1795.
"""
_DISKS: Final = {"hyperdisk-balanced": "HDB_TOTAL_GB", "pd-balanced": _PD}
"""Type of a boot disk -> its quota. Source: Compute Engine API v1, discovery document of 2026-11-06, `Quota.metric`."""
_LOCAL_DISK_GB: Final = 375
"""Source: Compute Engine documentation, "Local SSD disks"."""


@dataclass(frozen=True, kw_only=True)
class _Pool:
    """disk: type of the boot disk. local: whether it uses the machine's local disks."""

    shape: Machine
    nodes: int
    preemptible: bool
    root_gib: int
    disk: str
    local: bool = True


def report_quotas(
    planning: Planning[Location],
    training: TrainingPlan,
    elastic: ElasticPlan | None = None,
    mig: MigPlan | None = None,
    *,
    system_gib: int = 0,
    more: Iterable[str] = (),
) -> None:
    """The quotas that decide whether a cluster starts, with the required amounts, in one line.

    Which quota a machine counts against: Compute Engine documentation, "Allocation quotas". A calendar reservation
    charges none; Spot and flex-start charge the preemptible one. Source: Google Cloud documentation, Cluster Director
    "Choose a consumption option". vCPUs and local disks count by the machine's family. Source: Google Cloud
    documentation, Cloud Quotas "Terminology" and "Request a quota adjustment". system_gib: all boot disks of CPU nodes.
    more: further quotas of the cluster.
    """
    pools = list(_pools(training, elastic, mig))
    needed = Counter[str]()
    for one in pools:
        needed[f"{'PREEMPTIBLE_' if one.preemptible else ''}{one.shape.quota}"] += one.nodes * one.shape.gpus
    for one in pools:
        family = one.shape.machine_type.partition("-")[0].upper()
        kind = "preemptible " if one.preemptible else ""
        needed[f"{kind}vCPUs of {family} (CPUS-PER-VM-FAMILY)"] += one.nodes * one.shape.vcpus
    for one in pools:
        name = "PREEMPTIBLE_LOCAL_SSD_GB" if one.preemptible else "GB of local_ssd_total_storage_per_vm_family"
        needed[name] += one.nodes * one.shape.nvme_disks * _LOCAL_DISK_GB * one.local
    for one in pools:
        needed[_DISKS[one.disk]] += one.nodes * one.root_gib
    needed[_PD] += system_gib
    parts = [f"{count:,} {quota}" for quota, count in needed.items() if count]
    planning.before_up.append(
        f"required quotas in {planning.location.region}: {', '.join([*parts, *more])}; GPUS-ALL-REGIONS-per-project "
        "limits all GPUs together"
    )


def _pools(training: TrainingPlan, elastic: ElasticPlan | None, mig: MigPlan | None) -> Iterator[_Pool]:
    if not training.calendar:
        yield _Pool(
            shape=training.shape,
            nodes=training.size,
            preemptible=training.flex_start_hours is not None,
            root_gib=training.root_gib,
            disk=training.shape.boot_disk,
        )
    if mig is not None:
        yield _Pool(
            shape=mig.shape,
            nodes=mig.nodes,
            preemptible=mig.purchase != "on-demand",
            root_gib=mig.root_gib,
            disk=mig.shape.boot_disk,
        )
    if elastic is not None:
        karpenter = elastic.engine == "karpenter"  # without local disks: `KARPENTER_NOTE`
        yield _Pool(
            shape=elastic.shape,
            nodes=elastic.most_nodes,
            preemptible=True,
            root_gib=elastic.root_gib,
            disk="pd-balanced" if karpenter else elastic.shape.boot_disk,
            local=not karpenter,
        )
