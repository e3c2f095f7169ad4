"""What the plan's reader must know about zones: of machines, and of clusters without one. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Mapping

from gpucluster.components.azure.location import NO_ZONE, Location
from gpucluster.components.azure.machines import CLOUD
from gpucluster.components.planning.planning import Planning
from gpucluster.core.catalog.machines import Machine


def report_zones(pools: Mapping[str, Machine], planning: Planning[Location]) -> None:
    """Where machines are available. pools: name -> machine.

    Only price lists tell which regions have a machine; no list names zones, which differ by subscription, and AKS may
    know fewer than Azure's compute API. Source: azure-aks-docs fb060abe6, reliability-availability-zones-configure.md.
    """
    location, prices = planning.location, planning.prices
    region = location.region
    named: dict[str, list[str]] = {}
    for pool, shape in pools.items():
        named.setdefault(shape.machine_type, []).append(pool)
    unknown = [
        machine
        for machine in named
        if prices is not None and prices.machine_usd(CLOUD, region, machine, "on-demand") is None
    ]
    planning.before_up += [
        f"{' and '.join(named[machine])}: no price list has {machine} in {region}: whether it is available there is "
        "unknown"
        for machine in unknown
    ]
    listed = [machine for machine in named if machine not in unknown]
    if location.number is not None and listed:
        planning.before_up.append(
            f"all GPU nodes are in zone {location.number}: the zones of {region} with {', '.join(listed)} depend on "
            f"your subscription: az aks list-vm-skus --location {region} --size {listed[0]} --all; if AKS lists none, "
            f"write gpucluster:zone: {NO_ZONE}"
        )


def report_no_zone(planning: Planning[Location]) -> None:
    """What a cluster without a zone lacks.

    Sources: azure-aks-docs fb060abe6, reliability-availability-zones-configure.md ("Regional node pools") and
    free-standard-pricing-tiers.md.
    """
    location = planning.location
    if location.number is not None:
        return
    planning.losses.append(
        f"zone {NO_ZONE}: the training pool is one scale set with one InfiniBand network, but nothing keeps it, its "
        "storage, the NAT gateway and other pools in the same zone"
        if location.zonal
        else f"{location.region} has no availability zones: an outage of its data center ends all system nodes, and "
        "AKS promises 99.9 % for the API server, not 99.95 %"
    )
