"""Places on Google Cloud, in the words of a stack's configuration."""

from __future__ import annotations

import pytest

from gpucluster.components.gcp.location import REGIONS, Location, first_zone
from gpucluster.components.shared.machine_choice import shapes
from gpucluster.core.catalog.machines import zones_of
from tests.components.told import told

PLACE = {"project": "my-project", "region": "us-central1", "zone": "us-central1-b"}


def test_a_place_is_a_project_a_region_and_a_zone() -> None:
    found = Location.read(PLACE)
    assert found == Location(project="my-project", region="us-central1", zone="us-central1-b")


def test_what_is_missing_is_reported_elsewhere() -> None:
    assert told(Location.read({"region": "us-central1"})) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"region": "us-centrall1", "zone": "us-centrall1-a"},
            ["region is 'us-centrall1'; write a Google Cloud region such as us-central1; did you mean us-central1?"],
        ),
        ({"zone": "us-central1b"}, ["zone is 'us-central1b'; write a zone of us-central1, such as us-central1-a"]),
        ({"zone": "europe-west1-b"}, ["zone is 'europe-west1-b'; write a zone of us-central1, such as us-central1-a"]),
        (
            {"region": "europe-west1", "zone": "b"},
            ["zone is 'b'; write a zone of europe-west1, such as europe-west1-b"],
        ),
        (
            {"project": "My Project", "zone": "x"},
            [
                "project is 'My Project'; write the id of a project, such as my-project: 6 to 30 lower-case letters, "
                "digits and hyphens",
                "zone is 'x'; write a zone of us-central1, such as us-central1-a",
            ],
        ),
    ],
)
def test_a_place_that_is_none_is_refused_with_all_reasons(changes: dict[str, str], said: list[str]) -> None:
    assert told(Location.read({**PLACE, **changes})) == said


@pytest.mark.parametrize("project", ["my-project", "example.com:my-project", "a23456"])
def test_projects_as_google_names_them_are_taken(project: str) -> None:
    assert isinstance(Location.read({**PLACE, "project": project}), Location)


@pytest.mark.parametrize(("region", "zones"), [("us-central1", "abc"), ("europe-west1", "bcd"), ("us-east1", "bcd")])
def test_cpu_nodes_stand_in_three_zones_of_the_region(region: str, zones: str) -> None:
    here = Location(project="my-project", region=region, zone=first_zone(region))
    assert here.system_zones == tuple(f"{region}-{letter}" for letter in zones)
    assert first_zone(region) == f"{region}-{zones[0]}"


def test_every_machine_is_listed_in_zones_of_known_regions() -> None:
    listed = {row.machine_type: zones_of(row.machine_type) for row in shapes() if row.cloud == "gcp"}
    for zones in listed.values():
        assert {zone.rpartition("-")[0] for zone in zones} <= set(REGIONS)
        assert len(zones) == len(set(zones))
    # No public list has its zones; a plan says so.
    assert [machine for machine, zones in listed.items() if not zones] == ["a4-highgpu-8g"]
