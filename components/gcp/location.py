"""Location of a cluster on Google Cloud: project, region, and zone of its GPU nodes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.problem import Problem
from gpucluster.record import record

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


@record(kw_only=True)
class Location:
    """zone: of the GPU nodes and of the storage they mount. Names of zones are the same in every project."""

    project: str
    region: str
    zone: str

    @property
    def system_zones(self) -> tuple[str, ...]:
        """Zones of CPU nodes: three, so that one without capacity does not stop the cluster."""
        return tuple(f"{self.region}-{letter}" for letter in _OTHER_ZONES.get(self.region, "abc"))


def first_zone(region: str) -> str:
    """The first zone of a region."""
    return f"{region}-{_OTHER_ZONES.get(region, 'a')[0]}"


def parse_location(values: Mapping[str, str]) -> Location | list[Problem]:
    """The location, or every problem with it in the terms of the stack's configuration.

    values: `project`, `region` and `zone`. Missing ones are reported elsewhere.
    """
    problems: list[Problem] = []
    project, region, zone = (values.get(key) for key in ("project", "region", "zone"))
    if project is not None and not re.fullmatch(_PROJECT, project):
        problems.append(
            Problem(
                "project",
                f"is {project!r}",
                "write the id of a project, such as my-project: 6 to 30 lower-case letters, digits and hyphens",
            )
        )
    if region is not None and region not in REGIONS:
        near = did_you_mean(region, [known for known in REGIONS if known[:2] == region[:2]], alike=0.8)
        problems.append(Problem("region", f"is {region!r}", f"write a Google Cloud region such as us-central1{near}"))
    elif (
        region is not None and zone is not None and not re.fullmatch(rf"^{re.escape(region)}-([a-z]|ai\d+[a-z])$", zone)
    ):
        problems.append(Problem("zone", f"is {zone!r}", f"write a zone of {region}, such as {first_zone(region)}"))
    if problems or project is None or region is None or zone is None:
        return problems
    return Location(project=project, region=region, zone=zone)
