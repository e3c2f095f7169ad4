"""Regions and zones of AWS."""

from __future__ import annotations

import pytest

from gpucluster.core.catalog.aws_regions import (
    aws_regions,
    local_zone,
    local_zone_lustre,
    local_zone_names,
    region_of_zone,
    sold_in,
    zone_id,
)
from gpucluster.core.catalog.machines import machines, zones_of


def test_the_ids_of_all_zones_begin_as_their_region_says():
    found = {zone.partition("-")[0]: region for region in aws_regions().values() for zone in region.zones}
    assert {prefix: region.prefix for prefix, region in found.items()} == {prefix: prefix for prefix in found}
    assert len({region.prefix for region in aws_regions().values()}) == len(aws_regions())


@pytest.mark.parametrize(
    ("region", "zone", "expected"),
    [("us-east-1", "us-east-1-atl-2a", "use1-atl2-az1"), ("us-west-2", "us-west-2-lax-1b", "usw2-lax1-az2")],
)
def test_the_name_of_a_local_zone_gives_its_id(region, zone, expected):
    assert zone_id(region, zone) == expected
    assert region_of_zone(expected) == region


@pytest.mark.parametrize("zone", ["us-east-1-atl-2a", "use1-atl2-az1"])
def test_a_local_zone_has_a_name_an_id_and_a_group(zone):
    assert local_zone_names("us-east-1", zone) == ("us-east-1-atl-2a", "use1-atl2-az1", "us-east-1-atl-2")


@pytest.mark.parametrize("zone", ["us-east-1a", "use1-az4", "us-west-2-lax-1a", "usw2-lax1-az1", "use1-atl2-az0", ""])
def test_other_zones_are_no_local_zone_of_the_region(zone):
    assert (local_zone("us-east-1", zone), local_zone_names("us-east-1", zone)) == (None, ())


def test_every_place_where_an_aws_machine_is_sold_is_a_zone_or_region_that_is_known():
    names = {name for name, machine in machines().items() if machine.cloud == "aws"}
    known = {*aws_regions(), *(zone for region in aws_regions().values() for zone in region.zones)}
    others = {zone for name in names for zone in zones_of(name) if zone not in known}
    assert others == {"use1-atl2-az1", "usw2-phx2-az1"}


@pytest.mark.parametrize(
    ("machine", "region", "expected"),
    [
        ("p5.48xlarge", "ca-central-1", ("cac1-az4",)),
        ("p5.48xlarge", "us-gov-west-1", ("us-gov-west-1",)),
        ("p5.48xlarge", "eu-west-3", ()),
        ("p5.48xlarge", "cn-north-1", ()),
        ("p5.48xlarge", "mx-central-1", None),
    ],
)
def test_a_region_sells_a_machine_or_not_or_nobody_knows(machine, region, expected):
    assert sold_in(machine, region) == expected


def test_lustre_of_local_zones_is_known_where_a_source_tells():
    assert [local_zone_lustre(zone) for zone in ("use1-atl2-az1", "use1-bos1-az1")] == ["persistent_2_basic", ""]
