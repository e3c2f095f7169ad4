"""Location of a cluster on Google Cloud: project, region, and zone of its GPU nodes."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from gpucluster.components.planning.problem import Keys, did_you_mean

REGIONS = tuple(
    f"{area}{number}"
    for area, numbers in {
        "africa-south": "1",
        "asia-east": "1 2",
        "asia-northeast": "1 2 3",
        "asia-south": "1 2",
        "asia-southeast": "1 2",
        "australia-southeast": "1 2",
        "europe-central": "2",
        "europe-north": "1 2",
        "europe-southwest": "1",
        "europe-west": "1 2 3 4 6 8 9 10 12",
        "me-central": "1 2",
        "me-west": "1",
        "northamerica-northeast": "1 2",
        "northamerica-south": "1",
        "southamerica-east": "1",
        "southamerica-west": "1",
        "us-central": "1",
        "us-east": "1 4 5",
        "us-south": "1",
        "us-west": "1 2 3 4",
    }.items()
    for number in numbers.split()
)
"""Source: Google Cloud documentation, "Regions and zones"."""

# Three zones of a region with every common machine; in other regions a, b and c. Source: the same.
_OTHER_ZONES = {"europe-west1": "bcd", "us-east1": "bcd"}

# Source: Google Cloud documentation, "Creating and managing projects": 6 to 30 characters; older projects of a domain
# start with the domain and a colon.
_PROJECT = r"^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$"


def first_zone(region: str) -> str:
    """The first zone of a region."""
    return f"{region}-{_OTHER_ZONES.get(region, 'a')[0]}"


def _region(value: str) -> str:
    if value not in REGIONS:
        near = did_you_mean(value, [known for known in REGIONS if known[:2] == value[:2]], alike=0.8)
        raise ValueError(f"write a Google Cloud region such as us-central1{near}")
    return value


class Location(Keys):
    """zone: of the GPU nodes and of the storage they mount. Names of zones are the same in every project."""

    project: str = Field(
        pattern=_PROJECT,
        description="write the id of a project, such as my-project: 6 to 30 lower-case letters, digits and hyphens",
    )
    region: Annotated[str, AfterValidator(_region)]
    zone: str

    @field_validator("zone")
    @classmethod
    def _zone(cls, value: str, info: ValidationInfo) -> str:
        region = info.data.get("region")
        if region is not None and not re.fullmatch(rf"{re.escape(region)}-([a-z]|ai\d+[a-z])", value):
            raise ValueError(f"write a zone of {region}, such as {first_zone(region)}")
        return value

    @property
    def system_zones(self) -> tuple[str, ...]:
        """Zones of CPU nodes: three, so that one without capacity does not stop the cluster."""
        return tuple(f"{self.region}-{letter}" for letter in _OTHER_ZONES.get(self.region, "abc"))
