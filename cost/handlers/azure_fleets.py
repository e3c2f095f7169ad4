"""Machines of Azure that Machine Learning and Batch start, and throughput of models.

Machine Learning and Batch have no charge themselves (their price pages).
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.azure_machines import machine_lines
from gpucluster.cost.handlers.azure_place import place_of
from gpucluster.cost.handlers.azure_storage import azure_disk_lines
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import or_named, say_stopped
from gpucluster.cost.pricing.model import CostLine, Count, Free, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing

_NO_GROUP: Final = ("capacityReservation",)
"""An input that none of these types has: they take no reserved capacity."""

_PRICES: Final = "https://azure.microsoft.com/pricing/details/machine-learning/"


@prices("azure-native:machinelearningservices:Compute")
def compute(item: Pricing) -> Iterator[CostLine | NotPriced | Free]:
    """Machines of a cluster between its bounds, or of an instance all month, at the price of the virtual machine."""
    kind, at = item.text("properties", "computeType"), ("properties", "properties")
    region = place_of(item)
    if kind == "AmlCompute":
        bounds = (*at, "scaleSettings")
        least, most = item.number(*bounds, "minNodeCount", default=0), item.number(*bounds, "maxNodeCount")
        share = item.assumptions.expected_share
        note = f"expected_share: {share} of the limit of {item.resource.name} runs on average" if least < most else ""
        count = Count(max(least, most * share), least, max(least, most))
        spot = item.text(*at, "vmPriority", default="Dedicated") == "LowPriority"
    elif kind == "ComputeInstance":
        count, spot, note = Count.fixed(Decimal(1)), False, ""
        if item.get(*at, "schedules") is not None:
            yield item.not_priced("schedules: it runs for a part of the month", compute=True)
            return
    elif kind in ("AKS", "Kubernetes", "VirtualMachine"):
        yield item.free("what it names is billed by itself", _PRICES)
        return
    else:
        raise CannotPrice(f"properties.computeType is {kind!r}; priced are AmlCompute and ComputeInstance")
    if item.text(*at, "osType", default="Linux") == "Windows":
        raise CannotPrice("osType is Windows: the price book has Linux only")
    yield from _machines(item, item.text(*at, "vmSize"), count, region, spot=spot, note=note)


def _machines(
    item: Pricing, machine: str, count: Count, region: str, *, spot: bool, note: str = ""
) -> Iterator[CostLine | NotPriced]:
    purchase = "spot" if spot else "on_demand"
    yield from machine_lines(item, machine, count, purchase, region=region, group=_NO_GROUP, note=note)


@prices("azure-native:machinelearningservices:OnlineDeployment")
def online_deployment(item: Pricing) -> Iterator[CostLine | NotPriced | Free]:
    """Machines that serve a model all month, at the price of the virtual machine."""
    if item.text("properties", "endpointComputeType", default="Managed") == "Kubernetes":
        yield item.free("it runs on a cluster that is billed by itself", _PRICES)
        return
    machine = item.text("properties", "instanceType")
    number = item.number("sku", "capacity", default=1)
    if item.text("properties", "scaleSettings", "scaleType", default="Default") != "Default":
        yield item.not_priced("scaleSettings: machines beyond sku.capacity, which no plan shows", compute=True)
    yield from _machines(item, machine, Count.fixed(number), place_of(item), spot=False)


@prices("azure-native:batch:Pool")
def batch_pool(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Dedicated and Spot machines of a fixed size all month, and their data disks (Batch price page)."""
    region, machine = place_of(item), item.text("vmSize")
    at = ("deploymentConfiguration", "virtualMachineConfiguration")
    if "windows" in str(item.get(*at, "imageReference", "publisher")).lower() or item.get(*at, "windowsConfiguration"):
        raise CannotPrice("a Windows machine: the price book has Linux only")
    if item.get("scaleSettings", "autoScale") is not None:
        raise CannotPrice("scaleSettings.autoScale: a formula decides the number of machines")
    fixed, total = ("scaleSettings", "fixedScale"), Decimal(0)
    for key, spot in (("targetDedicatedNodes", False), ("targetLowPriorityNodes", True)):
        number = item.number(*fixed, key, default=0)
        total += number
        if number:
            yield from _machines(item, machine, Count.fixed(number), region, spot=spot)
    if not total:
        say_stopped(item)
        yield from _machines(item, machine, Count.fixed(total), region, spot=False)
    for index in range(len(item.items(*at, "dataDisks"))):
        disk = (*at, "dataDisks", index)
        sku = item.text(*disk, "storageAccountType", default="Standard_LRS")
        gib, count = item.number(*disk, "diskSizeGB"), Count.fixed(total)
        yield from or_named(item, azure_disk_lines(item, sku, gib, count, what="data disks", region=region))


@prices("azure-native:cognitiveservices:Deployment")
def model_deployment(item: Pricing) -> Iterator[NotPriced]:
    """Provisioned throughput units by the hour, or tokens (Azure OpenAI price page), which the price book lacks."""
    sku, capacity = item.text("sku", "name", default="Standard"), item.get("sku", "capacity")
    if "Provisioned" in sku:
        yield item.not_priced(f"{capacity or 'an unknown number of'} provisioned throughput units by the hour ({sku})")
    else:
        yield item.not_priced(f"tokens of the model ({sku}): usage that no plan contains")
