"""Compute Engine machines that templates, Workbench, Vertex AI and Dataproc start, and TPUs.

Vertex AI and Dataproc charge a fee on top of the machine, and Workbench for some (their price pages); the price book
lacks them: the machine's own price is in the total, and the rest is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.machines import has_gpus
from gpucluster.cost.handlers.gcp_capacity import bought, check_licence
from gpucluster.cost.handlers.gcp_machines import TEMPLATES, disk_of_template
from gpucluster.cost.handlers.gcp_place import place_of, region_of, short_name
from gpucluster.cost.handlers.gcp_storage import Disk, google_disk_lines
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import or_named, say_stopped
from gpucluster.cost.pricing.model import CostLine, Count, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, as_number

_ONE: Final = Count.fixed(Decimal(1))

Path = tuple[str | int, ...]


@prices("gcp:compute/instanceFromTemplate:InstanceFromTemplate")
def from_template(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """One machine all month and the disks of its template (Compute Engine prices); what it sets itself goes first."""
    made = [item.resources.referred(item.resource, "sourceInstanceTemplate", type_) for type_ in TEMPLATES]
    found = next(filter(None, made), None)
    if found is None:
        raise CannotPrice("its instance template is not part of this stack")
    template, region = item.of(found), region_of(place_of(item, "zone"))
    if item.text("desiredStatus", default="RUNNING") == "TERMINATED":
        say_stopped(item)
    else:
        machine = (item if item.get("machineType") is not None else template).text("machineType")
        scheduling = item if item.get("scheduling") is not None else template
        lines = bought(item, short_name(machine), _ONE, _purchase(scheduling), region=region, assumption="Linux")
        yield from or_named(item, lines, compute=True)
    if item.get("bootDisk") is not None or item.items("guestAccelerators"):
        yield item.not_priced("disks or GPUs that differ from those of its template", compute=True)
    for index in range(len(template.items("disks"))):
        check_licence(template, "disks", index, "sourceImage")
        lines = disk_of_template(item, template, index, _ONE, region)
        yield from or_named(item, lines, what=f"disk {index + 1} of its template")


def _purchase(item: Pricing) -> str:
    spot = item.get("scheduling", "preemptible") or item.get("scheduling", "provisioningModel") == "SPOT"
    return "spot" if spot else "on_demand"


@prices("gcp:workbench/instance:Instance")
def workbench(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """One machine all month and its disks (Vertex AI price page, Workbench instances: those of Compute Engine)."""
    region = region_of(place_of(item, "location"))
    if item.text("desiredState", default="ACTIVE") == "STOPPED":
        say_stopped(item)
    else:
        yield from _machines(item, ("gceSetup",), _ONE, region, accelerators=("gceSetup", "acceleratorConfigs"))
        yield item.not_priced("what Workbench adds to the price of its machine")
    for key, what in (("bootDisk", "boot disk"), ("dataDisks", "data disk")):
        at = ("gceSetup", key)
        if item.get(*at) is not None:
            kind = item.text(*at, "diskType", default="PD_BALANCED").lower().replace("_", "-")
            gib = item.number(*at, "diskSizeGb", default=_WORKBENCH_GIB)
            yield from or_named(item, google_disk_lines(item, Disk(kind, gib), _ONE, what=what, region=region))


_WORKBENCH_GIB: Final = 150
"""GiB of a disk of a Workbench instance that sets none: the least of a boot disk (SDK documentation, diskSizeGb)."""


def _machines(
    item: Pricing, at: Path, count: Count, region: str, *, accelerators: Path, spot: bool = False
) -> Iterator[CostLine | NotPriced]:
    """Machines of `machineType` at a path. accelerators: path of GPUs that are added to them."""
    machine = short_name(item.text(*at, "machineType"))
    lines = bought(item, machine, count, "spot" if spot else "on_demand", region=region, assumption="Linux",
                   autoscaled=count.varies)  # fmt: skip
    yield from or_named(item, lines, compute=True)
    if item.get(*accelerators) and not has_gpus("gcp", machine):
        yield item.not_priced(f"GPUs attached to {machine}: the price book has machines with GPUs only", compute=True)


def _replicas(item: Pricing, *at: str | int) -> Count:
    """Replicas of dedicated resources, which run at their minimum without load (Vertex AI API)."""
    least = item.number(*at, "minReplicaCount", default=1)
    return Count(least, least, max(item.number(*at, "maxReplicaCount", default=int(least)), least))


def _dedicated(item: Pricing, at: Path, region: str) -> Iterator[CostLine | NotPriced]:
    spec = (*at, "machineSpec")
    spot = bool(item.get(*at, "spot"))
    accelerators = (*spec, "acceleratorType")
    yield from _machines(item, spec, _replicas(item, *at), region, accelerators=accelerators, spot=spot)
    yield item.not_priced("the fee of Vertex AI on top of its machines")


@prices("gcp:vertex/aiDeploymentResourcePool:AiDeploymentResourcePool")
def deployment_pool(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Machines of a pool that serves models: at least their price (Vertex AI price page)."""
    yield from _dedicated(item, ("dedicatedResources",), place_of(item, "region"))


@prices("gcp:vertex/aiEndpointWithModelGardenDeployment:AiEndpointWithModelGardenDeployment")
def model_garden(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Machines that serve a model: at least their price (Vertex AI price page)."""
    at = ("deployConfig", "dedicatedResources")
    if item.get(*at) is None:
        raise CannotPrice("deployConfig.dedicatedResources is not set: the model decides its machines")
    yield from _dedicated(item, at, place_of(item, "location"))


@prices("gcp:vertex/aiPersistentResource:AiPersistentResource")
def persistent_resource(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Machines that wait for training jobs: at least their price (Vertex AI price page)."""
    region = place_of(item, "location")
    for index in range(len(item.items("resourcePools"))):
        at = ("resourcePools", index)
        number = item.number(*at, "replicaCount", default=1)
        count = Count.fixed(number)
        if item.get(*at, "autoscalingSpec") is not None:
            least = item.number(*at, "autoscalingSpec", "minReplicaCount", default=int(number))
            most = item.number(*at, "autoscalingSpec", "maxReplicaCount", default=int(number))
            count = Count(max(number, least), least, max(most, number))
        spec = (*at, "machineSpec")
        yield from _machines(item, spec, count, region, accelerators=(*spec, "acceleratorType"))
        if item.get(*at, "diskSpec") is not None:
            kind = item.text(*at, "diskSpec", "bootDiskType", default="pd-ssd")
            disk = Disk(kind, item.number(*at, "diskSpec", "bootDiskSizeGb", default=100))
            yield from or_named(item, google_disk_lines(item, disk, count, what="boot disks", region=region))
    yield item.not_priced("the fee of Vertex AI on top of its machines")


_ROLES: Final = (("masterConfig", 1, False), ("workerConfig", 2, False), ("preemptibleWorkerConfig", 0, True))
"""(machines of a Dataproc cluster, their number by default, whether they may be preempted) (SDK documentation)."""


@prices("gcp:dataproc/cluster:Cluster")
def dataproc(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Machines of a cluster and their boot disks (Dataproc price page: a fee by vCPU and hour is added)."""
    if item.get("virtualClusterConfig") is not None:
        raise CannotPrice("virtualClusterConfig: it runs on a GKE cluster, whose nodes are billed")
    region = place_of(item, "region")
    for role, number, preemptible in _ROLES:
        at = ("clusterConfig", role)
        count = Count.fixed(item.number(*at, "numInstances", default=number))
        if not count.expected:
            continue
        own = at if item.get(*at, "machineType") is not None else ("clusterConfig", "workerConfig")
        if item.get(*own, "machineType") is None:
            yield item.not_priced(f"{role}: its machine type is not set", compute=True)
            continue
        spot = preemptible and item.get(*at, "preemptibility") != "NON_PREEMPTIBLE"
        yield from _machines(item, own, count, region, accelerators=(*at, "accelerators"), spot=spot)
        kind = item.text(*at, "diskConfig", "bootDiskType", default="pd-standard")
        gib = item.get(*at, "diskConfig", "bootDiskSizeGb")
        if gib is None:
            yield item.not_priced(f"{role}: boot disks of a size that Dataproc chooses; set bootDiskSizeGb")
            continue
        disk = Disk(kind, as_number(gib, "bootDiskSizeGb"))
        yield from or_named(item, google_disk_lines(item, disk, count, what="boot disks", region=region))
    yield item.not_priced("the fee of Dataproc by vCPU and hour")


@prices("gcp:tpu/v2Vm:V2Vm", "gcp:tpu/v2QueuedResource:V2QueuedResource")
def tpu(item: Pricing) -> Iterator[NotPriced]:
    """Chips by the hour (Cloud TPU price page), which the price book lacks."""
    path = (
        ("acceleratorType",)
        if item.resource.type.endswith("V2Vm")
        else ("tpu", "nodeSpecs", 0, "node", "acceleratorType")
    )
    kind = item.get(*path) or item.get("acceleratorConfig", "type")
    yield item.not_priced(f"TPU {kind or 'of the default type'}: the price book has no TPUs", compute=True)
