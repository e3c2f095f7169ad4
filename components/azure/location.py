"""Location of a cluster on Azure: subscription, region, zone of its GPU nodes; and its Azure-only settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Final

from gpucluster.catalog.azure_regions import azure_regions
from gpucluster.components.azure.arm import UUID
from gpucluster.components.azure.settings import ZONES, Settings, parse_settings
from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.problem import Problem
from gpucluster.record import record

NO_ZONE: Final = "none"
"""In place of a zone's number: of a region without zones, or for a machine type that AKS offers in no zone."""


@record(kw_only=True)
class Location:
    """number: of the zone of the GPU nodes and of the storage they mount, None for NO_ZONE. A number is a different
    zone in each subscription. settings: Azure-only choices of the stack's configuration.
    """

    subscription: str
    region: str
    number: str | None
    settings: Settings = field(default_factory=Settings)

    @property
    def zone(self) -> str:
        """The zone in the format of node labels; the region for NO_ZONE."""
        return self.region if self.number is None else f"{self.region}-{self.number}"

    @property
    def zones(self) -> list[str] | None:
        """The zone as resources state it."""
        return None if self.number is None else [self.number]

    @property
    def zonal(self) -> bool:
        """Whether the region has zones."""
        return azure_regions().get(self.region) is not False

    @property
    def lustre_zone(self) -> str | None:
        """The zone of a file system that the cluster creates."""
        return self.number or self.settings.lustre_zone


def first_zone(region: str) -> str:
    """The first zone of a region: zone numbers are the same in all regions that have zones."""
    return NO_ZONE if azure_regions().get(region) is False else ZONES[0]


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
    known = [name for name, zones in regions.items() if zones is not None]
    if region is not None and region not in known:
        near = did_you_mean(region, known, alike=0.8)
        problems.append(Problem("region", f"is {region!r}", f"write an Azure region such as eastus{near}"))
    if zone is not None and zone not in (*ZONES, NO_ZONE):
        fix = f"write the number of a zone, in quotes: {', '.join(ZONES)}; or {NO_ZONE}"
        problems.append(Problem("zone", f"is {zone!r}", fix))
    elif zone not in (None, NO_ZONE) and region is not None and regions.get(region) is False:
        problems.append(Problem("zone", f"is {zone!r}, but {region} has no availability zones", f"write {NO_ZONE}"))
    settings = parse_settings(values)
    if isinstance(settings, list):
        return problems + settings
    if problems or subscription is None or region is None or zone is None:
        return problems
    number = None if zone == NO_ZONE else zone
    return Location(subscription=subscription.lower(), region=region, number=number, settings=settings)
