"""Where in AWS a price holds: in a region, or in a Local Zone, whose prices are its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gpucluster.core.catalog.aws_regions import local_zone
from gpucluster.core.program.resources import Resource
from gpucluster.core.program.values import is_list
from gpucluster.cost.pricing.pricing import Pricing

SUBNETS: Final = ("aws:ec2/subnet:Subnet", "aws:ec2/defaultSubnet:DefaultSubnet")
_ZONES: Final = ("availabilityZone", "availabilityZoneId", "availabilityZones")


def place_of(item: Pricing, *, subnets: str = "") -> str:
    """The region, and behind a slash the Local Zone where the resource or one of its subnets says one.

    subnets: input that names the subnets.
    """
    region, made = item.region, item.resources.present(item.resource.dependencies.get(subnets, ()))
    for resource in (item.resource, *(one for one in made if one.type in SUBNETS)):
        for zone in _zones(resource):
            name = local_zone(region, zone)
            if name is not None:
                return f"{region}/{name}"
    return region


def _zones(resource: Resource) -> Iterator[str]:
    for key in _ZONES:
        for values in (resource.inputs, resource.outputs):
            found: Any = values.get(key)
            yield from (zone for zone in (found if is_list(found) else (found,)) if isinstance(zone, str))
