"""EC2 machines that fleets, Spot requests, Batch, SageMaker and EMR start.

Fleets and Batch have no charge; SageMaker and EMR have one on top of the machine (their price pages),
which the price book lacks: the machine's own price is in the total, and the rest is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.machines import machines
from gpucluster.core.program.resources import Resource
from gpucluster.cost.handlers.aws_place import place_of
from gpucluster.cost.handlers.aws_storage import AMI_ROOT_GIB, Disk, default_root, disk_at, mapped_disks
from gpucluster.cost.handlers.disks import disk_lines
from gpucluster.cost.handlers.ec2_types import MachineType, lines_of_types, machines_for, types_in
from gpucluster.cost.handlers.open_reservations import machine_lines
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.reserved_capacity import LAUNCH_TEMPLATE
from gpucluster.cost.handlers.whole_machines import or_named, plain
from gpucluster.cost.pricing.model import CostLine, Count, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, as_number

_ONE: Final = Count.fixed(Decimal(1))
_CONFIGS: Final = "launchTemplateConfigs"


@prices("aws:ec2/fleet:Fleet")
def fleet(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Machines for its target capacity all month, and their disks (EC2 Fleet guide); a fleet has no separate price."""
    target = "targetCapacitySpecification"
    unit = item.text(target, "targetCapacityUnitType", default="units")
    if unit != "units":
        raise CannotPrice(f"{target}.targetCapacityUnitType is {unit!r}: the number of machines depends on their type")
    total = item.number(target, "totalTargetCapacity")
    spot_first = item.text(target, "defaultTargetCapacityType") == "spot"
    named = item.get(target, "onDemandTargetCapacity" if spot_first else "spotTargetCapacity")
    other = min(Decimal(0) if named is None else as_number(named, f"{target} of the other kind"), total)
    yield from _of_configs(item, on_demand=other if spot_first else total - other, total=total)


@prices("aws:ec2/spotFleetRequest:SpotFleetRequest")
def spot_fleet(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Machines for its target capacity all month, Spot but for `onDemandTargetCapacity` (Spot Fleet guide)."""
    total, on_demand = item.number("targetCapacity"), item.number("onDemandTargetCapacity", default=0)
    specifications = item.items("launchSpecifications")
    if not specifications:
        yield from _of_configs(item, on_demand=min(on_demand, total), total=total)
        return
    types = types_in(item, ("launchSpecifications",), None)
    yield from _bought(item, types, min(on_demand, total), total)
    count = machines_for(Count.fixed(total), types[0])
    at = ("launchSpecifications", 0)
    yield from _declared_disks(item, at, "rootBlockDevices", count)


def _of_configs(item: Pricing, *, on_demand: Decimal, total: Decimal) -> Iterator[CostLine | NotPriced]:
    found = item.resources.referred(item.resource, _CONFIGS, LAUNCH_TEMPLATE)
    if found is None:
        raise CannotPrice("its launch template is not part of this stack")
    if len(item.items(_CONFIGS)) > 1:
        yield item.not_priced(f"{_CONFIGS} has several templates: priced as the first", compute=True)
    template = item.of(found)
    types = types_in(item, (_CONFIGS, 0, "overrides"), template) or [MachineType(template.text("instanceType"))]
    yield from _bought(item, types, on_demand, total)
    count = machines_for(Count.fixed(total), types[0])
    yield from mapped_disks(template, count, region=place_of(item), gib=AMI_ROOT_GIB)


def _bought(
    item: Pricing, types: Sequence[MachineType], on_demand: Decimal, total: Decimal
) -> Iterator[CostLine | NotPriced]:
    region = place_of(item)
    for units, purchase in ((on_demand, "on_demand"), (total - on_demand, "spot")):
        if units:
            lines = lines_of_types(item, types, Count.fixed(units), purchase, region=region)
            yield from or_named(item, lines, compute=True)


def _declared_disks(item: Pricing, at: tuple[str | int, ...], roots: str, count: Count) -> Iterator[CostLine]:
    region = place_of(item)
    for key, what in ((roots, "root disks"), ("ebsBlockDevices", "data disks")):
        for index in range(len(item.items(*at, key))):
            disk = disk_at(item, *at, key, index, gib=AMI_ROOT_GIB)
            yield from disk_lines(item, disk, count, what=what, region=region)
    if not item.items(*at, roots):
        yield from default_root(item, count, region=region, gib=AMI_ROOT_GIB)


@prices("aws:ec2/spotInstanceRequest:SpotInstanceRequest")
def spot_request(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """One Spot machine all month and its disks (EC2 Spot guide)."""
    region, found = (
        place_of(item, subnets="subnetId"),
        item.resources.referred(item.resource, "launchTemplate", LAUNCH_TEMPLATE),
    )
    own = found is None or item.get("instanceType") is not None
    machine = item.text("instanceType") if own or found is None else item.of(found).text("instanceType")
    if item.text("tenancy", default="default") != "default":
        yield item.not_priced("tenancy is not shared: the price book has shared tenancy only", compute=True)
    else:
        lines = machine_lines(item, machine, _ONE, "spot", region=region, assumption="Linux")
        yield from or_named(item, lines, compute=True)
    if item.get("rootBlockDevice") is not None:
        disk = disk_at(item, "rootBlockDevice", gib=AMI_ROOT_GIB)
        yield from disk_lines(item, disk, _ONE, what="root disk", region=region)
    else:
        yield from default_root(item, _ONE, region=region, gib=AMI_ROOT_GIB)
    for index in range(len(item.items("ebsBlockDevices"))):
        disk = disk_at(item, "ebsBlockDevices", index)
        yield from disk_lines(item, disk, _ONE, what="data disk", region=region)


@prices("aws:batch/computeEnvironment:ComputeEnvironment")
def batch(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Machines for vCPUs between `minVcpus` and `maxVcpus` (Batch price page: no charge but the machines)."""
    of = "computeResources"
    if item.text("state", default="ENABLED") == "DISABLED":
        item.guesses.add(f"{item.resource.name} is disabled and stays so, at its least number of machines")
    kind = item.text(of, "type", default="")
    if kind not in ("EC2", "SPOT"):
        raise CannotPrice(f"{of}.type is {kind!r}: what its jobs take is in no plan")
    names = [item.text(of, "instanceTypes", index) for index in range(len(item.items(of, "instanceTypes")))]
    unknown = [name for name in names if name not in machines()]
    if not names or unknown:
        why = f"instanceTypes has {', '.join(unknown)}, whose vCPUs are in no table" if unknown else "no instanceTypes"
        raise CannotPrice(f"{why}: the number of machines is unknown")
    types = [MachineType(name, Decimal(machines()[name].vcpus)) for name in names]
    least, most = item.number(of, "minVcpus", default=0), item.number(of, "maxVcpus")
    share = item.assumptions.expected_share
    declared = item.get(of, "desiredVcpus")
    expected = max(least, most * share) if declared is None else item.number(of, "desiredVcpus")
    note = f"expected_share: {share} of the limit of {item.resource.name} runs on average" if declared is None else ""
    purchase = "spot" if kind == "SPOT" else "on_demand"
    units = Count(min(expected, most), least, most)
    yield from or_named(
        item, lines_of_types(item, types, units, purchase, region=place_of(item), note=note), compute=True
    )
    yield from default_root(item, machines_for(units, types[0]), region=place_of(item), gib=_BATCH_GIB)


_BATCH_GIB: Final = 30
"""GiB of the root disk of ECS-optimised images, which Batch starts (ECS developer guide, ECS-optimized AMIs)."""

_ENDPOINT_CONFIG: Final = "aws:sagemaker/endpointConfiguration:EndpointConfiguration"
_ML: Final = "ml."


@prices("aws:sagemaker/notebookInstance:NotebookInstance")
def notebook(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """One machine all month: at least the price of the EC2 machine (SageMaker price page)."""
    yield from _at_least(item, item.text("instanceType"), _ONE, item.get("volumeSize"))


@prices("aws:sagemaker/endpoint:Endpoint")
def endpoint(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Machines of its variants: at least the price of the EC2 machines (SageMaker price page)."""
    found = _config(item)
    if found is None:
        raise CannotPrice("its endpoint configuration is not part of this stack")
    config = item.of(found)
    for key in ("productionVariants", "shadowProductionVariants"):
        for index in range(len(config.items(key))):
            at = (key, index)
            if config.get(*at, "serverlessConfig") is not None:
                yield item.not_priced(f"{key}[{index}] is serverless: billed by what it computes", compute=True)
                continue
            number: Decimal = config.number(*at, "initialInstanceCount", default=1)
            bounds = (*at, "managedInstanceScaling")
            least = config.number(*bounds, "minInstanceCount", default=int(number))
            most = config.number(*bounds, "maxInstanceCount", default=int(number))
            count = Count(number, min(least, number), max(most, number))
            yield from _at_least(config, config.text(*at, "instanceType"), count, config.get(*at, "volumeSizeInGb"))


def _config(item: Pricing) -> Resource | None:
    found = item.resources.referred(item.resource, "endpointConfigName", _ENDPOINT_CONFIG)
    name = item.resource.inputs.get("endpointConfigName")
    return found or next(
        (one for one in item.resources.of_type(_ENDPOINT_CONFIG) if name and one.inputs.get("name") == name), None
    )


def _at_least(item: Pricing, type_: str, count: Count, gib: object) -> Iterator[CostLine | NotPriced]:
    machine = type_.removeprefix(_ML)
    note = f"{type_} costs no less than {machine} on EC2, whose price this is"
    lines = machine_lines(item, machine, count, "on_demand", region=place_of(item), assumption=note)
    yield from or_named(item, lines, compute=True)
    yield item.not_priced(f"what SageMaker adds to the price of {plain(count.expected)} x {machine}")
    if gib is not None:
        yield item.not_priced(f"{gib} GB of SageMaker's own storage for each machine")


@prices("aws:emr/cluster:Cluster")
def emr(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """EC2 machines of its groups (EMR price page: EMR's fee by the machine's hour is added)."""
    groups = [key for key in ("masterInstanceGroup", "coreInstanceGroup") if item.get(key) is not None]
    for key in groups:
        count = Count.fixed(item.number(key, "instanceCount", default=1))
        yield from _emr_group(item, (key,), count)
    fleets = [key for key in ("masterInstanceFleet", "coreInstanceFleet") if item.get(key) is not None]
    for key in fleets:
        on_demand, spot = (
            item.number(key, name, default=0) for name in ("targetOnDemandCapacity", "targetSpotCapacity")
        )
        if not on_demand + spot:
            yield item.not_priced(f"{key}: its target capacity is not set", compute=True)
            continue
        types = types_in(item, (key, "instanceTypeConfigs"), None)
        yield from _bought(item, types, on_demand, on_demand + spot)
    if not groups and not fleets:
        raise CannotPrice("it declares neither instance groups nor fleets")
    yield item.not_priced("the fee of EMR for each hour of its machines", compute=False)


@prices("aws:emr/instanceGroup:InstanceGroup")
def emr_group(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """EC2 machines of a group of tasks (EMR price page: EMR's fee by the machine's hour is added)."""
    yield from _emr_group(item, (), Count.fixed(item.number("instanceCount", default=1)))
    yield item.not_priced("the fee of EMR for each hour of its machines")


def _emr_group(item: Pricing, at: tuple[str, ...], count: Count) -> Iterator[CostLine | NotPriced]:
    purchase = "on_demand" if item.get(*at, "bidPrice") is None else "spot"
    machine = item.text(*at, "instanceType")
    lines = machine_lines(item, machine, count, purchase, region=place_of(item), assumption="Linux")
    yield from or_named(item, lines, compute=True)
    for index in range(len(item.items(*at, "ebsConfigs"))):
        disk = (*at, "ebsConfigs", index)
        each = Disk(item.text(*disk, "type"), item.number(*disk, "size"))
        volumes = item.number(*disk, "volumesPerInstance", default=1)
        yield from disk_lines(item, each, count.times(volumes), what="data disks", region=place_of(item))
