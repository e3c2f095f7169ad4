"""Location of a cluster on Azure: subscription, region, zone of its GPU nodes; and its Azure-only settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field

from gpucluster.catalog.azure_regions import azure_regions
from gpucluster.components.azure.arm import UUID
from gpucluster.components.azure.settings import Settings, parse_settings
from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.problem import Problem
from gpucluster.record import record

ZONES = ("1", "2", "3")


@record(kw_only=True)
class Location:
    """number: of the zone of the GPU nodes and of the storage they mount. A number is a different zone in each
    subscription. settings: Azure-only choices of the stack's configuration.
    """

    subscription: str
    region: str
    number: str
    settings: Settings = field(default_factory=Settings)

    @property
    def zone(self) -> str:
        """The zone in the format of node labels."""
        return f"{self.region}-{self.number}"


def first_zone(region: str) -> str:
    """The first zone of a region: zone numbers are the same in all regions."""
    del region
    return ZONES[0]


def parse_location(values: Mapping[str, str]) -> Location | list[Problem]:
    """The location, or every problem with it in the terms of the stack's configuration.

    values: `subscription`, `region`, `zone` and the settings. Missing ones are reported elsewhere.
    """
    problems: list[Problem] = []
    subscription, region, zone = (values.get(key) for key in ("subscription", "region", "zone"))
    if subscription is not None and not re.fullmatch(UUID, subscription):
        problems.append(
            Problem(
                "subscription",
                f"is {subscription!r}",
                "write the id of a subscription, such as 00000000-0000-0000-0000-000000000000 (`az account "
                "show --query id`)",
            )
        )
    regions = azure_regions()
    zonal = [name for name, zones in regions.items() if zones]
    if region is not None and regions.get(region) is False:
        problems.append(
            Problem(
                "region",
                f"is {region!r}, which has no availability zones; GPU nodes, their storage and their NAT gateway need "
                "one zone",
                f"write a region with zones{did_you_mean(region, zonal)}",
            )
        )
    elif region is not None and region not in zonal:
        near = did_you_mean(region, zonal, alike=0.8)
        problems.append(Problem("region", f"is {region!r}", f"write an Azure region such as eastus{near}"))
    if zone is not None and zone not in ZONES:
        problems.append(Problem("zone", f"is {zone!r}", f"write the number of a zone, in quotes: {', '.join(ZONES)}"))
    settings = parse_settings(values)
    if isinstance(settings, list):
        return problems + settings
    if problems or subscription is None or region is None or zone is None:
        return problems
    return Location(subscription=subscription.lower(), region=region, number=zone, settings=settings)
