"""What a GKE ComputeClass may start: the node pools it names, and machines of its own rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpucluster.catalog.machines import gke_machine
from gpucluster.cost.handlers.compute_class import pools_of
from gpucluster.cost.handlers.gcp_disks import Disk
from gpucluster.cost.handlers.gcp_place import place_of, region_of
from gpucluster.cost.handlers.gke_node_count import location_of
from gpucluster.cost.handlers.gke_nodes import CLUSTER, boot_disk, purchase_of
from gpucluster.cost.pricing import CannotPrice, Pricing, as_number, read
from gpucluster.program.values import is_object


@dataclass(frozen=True)
class Option:
    """One way to get a machine: what it is called in the class, its type, how it is paid for, where, its boot disk.

    pool: the node pool of the stack behind it, None for pools that GKE makes by itself.
    """

    rule: str
    machine: str
    purchase: str
    region: str
    disk: Disk
    disk_said: str
    pool: Pricing | None = None


def options_of(item: Pricing) -> Iterator[Option | str]:
    """Every option of `spec.priorities`, or why a rule cannot be read. Raises CannotPrice for rules not known yet."""
    for pool in pools_of(item, item.resource):
        found = item.of(pool)
        try:
            disk, said = boot_disk(found)
            queued = bool(found.get("queuedProvisioning", "enabled"))
            machine, region = found.text("nodeConfig", "machineType"), region_of(location_of(found))
            yield Option(pool.name, machine, purchase_of(found, queued=queued), region, disk, said, found)
        except CannotPrice as error:
            yield f"node pool {pool.name}: {error}"
    for number, rule in enumerate(item.items("spec", "priorities"), 1):
        if not is_object(rule):
            raise CannotPrice("its priorities are not known before the update")
        if rule.get("nodepools") is not None:
            continue
        name = f"rule {number}"
        machine = rule.get("machineType") or _machine_of(rule)
        if not isinstance(machine, str):
            yield f"{name} names neither a machine type nor GPUs that determine one"
            continue
        gib, kind = read(rule, "storage", "bootDiskSize"), read(rule, "storage", "bootDiskType")
        disk = Disk(str(kind or "pd-balanced"), as_number(gib or 100, f"storage.bootDiskSize of {name}"))
        said = "" if gib and kind else f"boot disk of {name} not fully declared: {disk.gib} GiB {disk.kind}"
        yield Option(name, machine, _purchase(rule), _region(item, rule), disk, said)


def _machine_of(rule: object) -> str | None:
    """The machine that the GPUs of a rule tell, None when they tell none."""
    gpus = read(rule, "gpu", "count")
    return None if gpus is None else gke_machine(str(read(rule, "gpu", "type")), as_number(gpus, "gpu.count"))


def _purchase(rule: object) -> str:
    if read(rule, "flexStart", "enabled"):
        return "flex_start"
    return "spot" if read(rule, "spot") else "on_demand"


def _region(item: Pricing, rule: object) -> str:
    """Where a rule's machines are: in the zones it names, else with the cluster."""
    zones = read(rule, "location", "zones")
    return region_of(str(zones[0])) if zones else region_of(place_of(cluster_of(item), "location"))


def cluster_of(item: Pricing) -> Pricing:
    """The one GKE cluster behind an object. Raises CannotPrice when there are none or several."""
    provider = item.resources.get(item.resource.provider)
    behind = provider.dependencies.get("kubeconfig", ()) if provider is not None else ()
    clusters = [found for urn in behind if (found := item.resources.get(urn)) is not None and found.type == CLUSTER]
    clusters = clusters or list(item.resources.of_type(CLUSTER))
    if len(clusters) != 1:
        raise CannotPrice("its cluster is not known: give its rules location.zones")
    return item.of(clusters[0])
