"""Location of a cluster on Azure: subscription, region, zone of its GPU nodes; and its Azure-only settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from gpucluster.components.azure.arm import UUID
from gpucluster.components.azure.settings import ZONES, Settings
from gpucluster.components.planning.problem import BadSpecValue, Keys, Problem, did_you_mean
from gpucluster.core.catalog.azure_regions import azure_regions

NO_ZONE: Final = "none"
"""In place of a zone's number: of a region without zones, or for a machine type that AKS offers in no zone."""


def _region(value: str) -> str:
    known = [name for name, zones in azure_regions().items() if zones is not None]
    if value not in known:
        raise ValueError(f"write an Azure region such as eastus{did_you_mean(value, known, alike=0.8)}")
    return value


class Location(Keys):
    """number: of the zone of the GPU nodes and of the storage they mount, None for NO_ZONE. A number is a different
    zone in each subscription. settings: Azure-only choices of the stack's configuration.
    """

    subscription: Annotated[str, AfterValidator(str.lower)] = Field(
        pattern=UUID,
        description="write the id of a subscription, such as 00000000-0000-0000-0000-000000000000 (`az account show "
        "--query id`)",
    )
    region: Annotated[str, AfterValidator(_region)]
    number: str | None = Field(validation_alias="zone")
    settings: Settings = Field(default_factory=Settings)

    @field_validator("number")
    @classmethod
    def _zone(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value in (None, NO_ZONE):
            return None
        if value not in ZONES:
            raise ValueError(f"write the number of a zone, in quotes: {', '.join(ZONES)}; or {NO_ZONE}")
        region = info.data.get("region", "")
        if azure_regions().get(region) is False:
            seen = f"is {value!r}, but {region} has no availability zones"
            raise BadSpecValue([Problem("zone", seen, f"write {NO_ZONE}")])
        return value

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
    """The location and the settings among the values of a configuration, or every problem with them."""
    settings = Settings.read(values)
    place = Location.read({**values, "settings": Settings() if isinstance(settings, list) else settings})
    if isinstance(settings, list):
        return [*(place if isinstance(place, list) else []), *settings]
    return place
