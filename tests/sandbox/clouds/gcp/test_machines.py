"""What the tables say of machine types and zones."""

from __future__ import annotations

import pytest

from gpucluster.core.catalog.tables import rows
from gpucluster.sandbox.clouds.gcp.machines import machine
from gpucluster.sandbox.clouds.gcp.model import is_zone, region_of, zones_of


@pytest.mark.parametrize(
    ("name", "networks", "mtu"),
    [
        ("a3-highgpu-1g", 0, None),
        ("a3-highgpu-8g", 4, 8244),
        ("a3-megagpu-8g", 8, 8244),
        ("a3-ultragpu-8g", 9, 8896),
        ("a4-highgpu-8g", 9, 8896),
    ],
)
def test_the_networks_of_a_machine_type_are_those_of_its_fabric(name: str, networks: int, mtu: int | None) -> None:
    found = machine(name)
    assert found is not None
    assert (found.gpu_networks, found.mtu) == (networks, mtu)


def test_every_zone_that_sells_gpus_is_a_zone() -> None:
    sold = [zone for row in rows("zones") for zone in row["zones"].split() if is_zone(zone)]
    assert "us-central1-a" in sold
    assert [zone for zone in sold if zone not in zones_of(region_of(zone))] == []
