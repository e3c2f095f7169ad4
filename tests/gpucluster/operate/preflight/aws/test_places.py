"""Zones and offers, on moto's server, which has AWS' own lists of both."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.operate.clients.aws.caller import Caller
from gpucluster.operate.preflight.aws.places import ask_offers, ask_zones
from tests.gpucluster.operate.preflight.aws.asked import all_said, question
from tests.gpucluster.operate.preflight.aws.stubs import Stubs

LOCAL = {
    "ZoneName": "us-east-1-atl-2a",
    "ZoneId": "use1-atl2-az1",
    "GroupName": "us-east-1-atl-2",
    "ZoneType": "local-zone",
    "State": "available",
}


def test_names_and_ids_of_zones_are_told(moto: Caller) -> None:
    refused = {"refused": "use1-az3"}
    asked = [question("zone", zone, details=refused) for zone in ("us-east-1a", "use1-az6", "us-east-1e", "us-east-1z")]
    found = ask_zones(moto, asked)
    assert all_said(found) == [
        ("fine", "use1-az6, available"),
        ("fine", "us-east-1a, available"),
        ("stops up", "use1-az3, available"),
        ("stops up", "not a zone of this account"),
    ]
    assert "us-east-1a, us-east-1b" in found[2].fix
    assert "us-east-1a (use1-az6)" in found[3].fix


@pytest.mark.parametrize(
    ("status", "found"),
    [("opted-in", ("fine", "use1-atl2-az1, available")), ("not-opted-in", ("stops up", "use1-atl2-az1, not-opted-in"))],
)
def test_a_local_zone_has_to_be_opted_in_to(status: str, found: tuple[str, str], stubs: Stubs, caller: Caller) -> None:
    answer: dict[str, Any] = {"AvailabilityZones": [{**LOCAL, "OptInStatus": status}]}
    stubs.add("ec2", "describe_availability_zones", answer, {"AllAvailabilityZones": True})
    [zone] = ask_zones(caller, [question("zone", "us-east-1-atl-2a", details={"group": "us-east-1-atl-2"})])
    assert all_said([zone]) == [found]
    assert (zone.command == "") is (status == "opted-in")


def test_a_zone_with_a_fault_stops(stubs: Stubs, caller: Caller) -> None:
    zone = {**LOCAL, "OptInStatus": "opted-in", "State": "impaired"}
    stubs.add("ec2", "describe_availability_zones", {"AvailabilityZones": [zone]})
    assert all_said(ask_zones(caller, [question("zone", "use1-atl2-az1")])) == [
        ("stops up", "us-east-1-atl-2a, impaired")
    ]


def offer(machine: str, zone: str, *, decides: bool = True) -> Any:
    return question("offer", machine, place=zone, details={"pool": "the training pool"}, decides=decides)


def test_offers_are_told_by_the_form_of_the_zone(moto: Caller, calls: list[str]) -> None:
    found = ask_offers(moto, [offer("m7i.xlarge", "us-east-1a"), offer("m7i.xlarge", "use1-az6")])
    assert all_said(found) == [("fine", "offered; an offer is not capacity")] * 2
    assert calls.count("DescribeInstanceTypeOfferings") == 2


def test_a_machine_that_another_zone_has_names_it(stubs: Stubs, caller: Caller) -> None:
    offers = [{"InstanceType": "p5.48xlarge", "Location": zone} for zone in ("us-east-1f", "us-east-1b")]
    stubs.add("ec2", "describe_instance_type_offerings", {"InstanceTypeOfferings": offers[:1], "NextToken": "more"})
    stubs.add("ec2", "describe_instance_type_offerings", {"InstanceTypeOfferings": offers[1:]})
    asked = [offer("p5.48xlarge", "us-east-1a"), offer("p5.4xlarge", "us-east-1a", decides=False)]
    first, second = ask_offers(caller, asked)
    assert all_said([first, second]) == [
        ("stops up", "not offered there, but in us-east-1b, us-east-1f"),
        ("warns", "not offered in us-east-1"),
    ]
    assert first.command == "pulumi config set gpucluster:zone us-east-1b"
    row = {"cloud": "aws", "zone": "us-east-1a", "machine": "p5.48xlarge", "available": 0}
    assert first.scenario == {"capacity": [row]}
