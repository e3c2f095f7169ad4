"""VPCs, their ranges, firewalls and private connections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.ledger import Entry

Create = Callable[..., Entry]

SUBNETWORK = "compute/subnetwork:Subnetwork"
CONNECTION = "servicenetworking/connection:Connection"
SERVICE = "servicenetworking.googleapis.com"
ROCE = "projects/p/global/networkProfiles/us-central1-a-vpc-roce"


def network(create: Create, name: str = "n", **inputs: Any) -> Entry:
    return create("compute/network:Network", name, name=name, **{"autoCreateSubnetworks": False, **inputs})


def secondary(**blocks: str) -> list[dict[str, str]]:
    return [{"rangeName": name, "ipCidrRange": block} for name, block in blocks.items()]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"mtu": 1299}, "resource.mtu': '1299'. Must be between 1300 and 8896"),
        ({"mtu": 8897}, "resource.mtu': '8897'"),
        ({"networkProfile": "us-central1-vpc-roce"}, "a profile ends in ZONE-vpc-roce"),
        ({"networkProfile": ROCE, "autoCreateSubnetworks": True}, "cannot be in auto mode"),
    ],
    ids=str,
)
def test_a_network_that_cannot_be_is_refused(create: Create, inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(CloudError, match=message):
        network(create, **inputs)


@pytest.mark.parametrize(
    ("inputs", "mtu"), [({}, 1460), ({"mtu": 8244}, 8244), ({"networkProfile": ROCE}, 8896)], ids=str
)
def test_a_network_has_an_mtu(create: Create, inputs: dict[str, Any], mtu: int) -> None:
    assert network(create, **inputs).outputs["mtu"] == mtu


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"network": "gone"}, "'projects/p/global/networks/gone' was not found, notFound"),
        ({"ipCidrRange": "10.0.0.1/24"}, "resource.ipCidrRange': '10.0.0.1/24'. Must be a CIDR address range"),
        ({"ipCidrRange": "10.0.0.0/30"}, "Must be a CIDR address range"),
        (
            {"ipCidrRange": "10.0.0.128/25"},
            r"10\.0\.0\.128/25 conflicts with existing range 10\.0\.0\.0/24 of projects",
        ),
        ({"secondaryIpRanges": secondary(pods="10.8.0.0/15")}, r"10\.8\.0\.0/15 conflicts with .* 10\.8\.0\.0/16 of"),
        ({"secondaryIpRanges": secondary(pods="10.1.0.0/25")}, r"conflicts with .* 10\.1\.0\.0/25 of the same subnet"),
        (
            {"secondaryIpRanges": [*secondary(pods="10.2.0.0/16"), *secondary(pods="10.3.0.0/16")]},
            "Duplicate secondary range names",
        ),
    ],
    ids=str,
)
def test_a_range_that_is_wrong_or_taken_is_refused(create: Create, inputs: dict[str, Any], message: str) -> None:
    vpc = network(create)
    create(SUBNETWORK, "a", network=vpc.id, ipCidrRange="10.0.0.0/24", secondaryIpRanges=secondary(pods="10.8.0.0/16"))
    with pytest.raises(CloudError, match=message):
        create(SUBNETWORK, "b", **{"network": vpc.id, "ipCidrRange": "10.1.0.0/24", **inputs})


def test_ranges_of_two_networks_may_be_the_same(create: Create) -> None:
    for name in ("one", "two"):
        create(SUBNETWORK, name, network=network(create, name).outputs["selfLink"], ipCidrRange="10.0.0.0/24")


def test_a_network_in_auto_mode_keeps_its_own_ranges(create: Create) -> None:
    auto = network(create, autoCreateSubnetworks=True).id
    create(SUBNETWORK, "fine", network=auto, ipCidrRange="10.0.0.0/24")
    with pytest.raises(CloudError, match=r"conflicts with existing range 10\.128\.0\.0/9, which the network in auto"):
        create(SUBNETWORK, "clash", network=auto, ipCidrRange="10.200.0.0/24")


def test_a_roce_network_has_its_subnetworks_in_its_region_and_no_firewall(create: Create) -> None:
    roce = network(create, networkProfile=ROCE)
    create(SUBNETWORK, "near", network=roce.id, ipCidrRange="10.0.0.0/24")
    with pytest.raises(CloudError, match="Region us-east4 does not contain us-central1-a"):
        create(SUBNETWORK, "far", network=roce.id, ipCidrRange="10.0.1.0/24", region="us-east4")
    with pytest.raises(CloudError, match="not supported on network n with network profile us-central1-a-vpc-roce"):
        create("compute/firewall:Firewall", network=roce.id, allows=[{"protocol": "tcp"}])


def test_a_firewall_allows_or_denies(create: Create) -> None:
    vpc = network(create)
    create("compute/firewall:Firewall", "fine", network=vpc.id, allows=[{"protocol": "tcp"}])
    for rules in ({}, {"allows": [{"protocol": "tcp"}], "denies": [{"protocol": "udp"}]}):
        with pytest.raises(CloudError, match="exactly one of allow and deny"):
            create("compute/firewall:Firewall", "wrong", network=vpc.id, **rules)


def test_a_nat_is_a_part_of_a_router(create: Create) -> None:
    nat = {"sourceSubnetworkIpRangesToNat": "ALL_SUBNETWORKS_ALL_IP_RANGES", "natIpAllocateOption": "AUTO_ONLY"}
    with pytest.raises(CloudError, match="'projects/p/regions/us-central1/routers/gone' was not found"):
        create("compute/routerNat:RouterNat", router="gone", **nat)
    router = create("compute/router:Router", "r", network=network(create).id)
    made = create("compute/routerNat:RouterNat", "nat", name="nat", router=router.name, **nat)
    assert made.id == f"p/us-central1/{router.name}/nat"
    with pytest.raises(CloudError, match="MANUAL_ONLY needs nat_ips"):
        create(
            "compute/routerNat:RouterNat", "own", router=router.name, **{**nat, "natIpAllocateOption": "MANUAL_ONLY"}
        )


def allocated(create: Create, vpc: Entry, name: str = "range", **inputs: Any) -> Entry:
    given = {"purpose": "VPC_PEERING", "addressType": "INTERNAL", "prefixLength": 20, "network": vpc.id, **inputs}
    return create("compute/globalAddress:GlobalAddress", name, **given)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"addressType": "EXTERNAL"}, "requires the address type INTERNAL"),
        ({"network": None}, "requires a network"),
        ({"prefixLength": None}, "requires a prefix length"),
        ({"address": "10.0.0.0"}, r"10\.0\.0\.0/20 conflicts with 10\.0\.0\.0/24 of projects/p/regions"),
    ],
    ids=str,
)
def test_an_incomplete_range_for_services_is_refused(create: Create, inputs: dict[str, Any], message: str) -> None:
    vpc = network(create)
    create(SUBNETWORK, "a", network=vpc.id, ipCidrRange="10.0.0.0/24")
    with pytest.raises(CloudError, match=message):
        allocated(create, vpc, **inputs)


def test_a_network_has_one_connection_to_a_service(create: Create) -> None:
    vpc = network(create)
    block = allocated(create, vpc)
    made = create(CONNECTION, "a", network=vpc.id, service=SERVICE, reservedPeeringRanges=[block.name])
    assert made.id == f"projects%2Fp%2Fglobal%2Fnetworks%2Fn:{SERVICE}"
    with pytest.raises(CloudError, match="Cannot modify allocated ranges in CreateConnection"):
        create(CONNECTION, "b", network="n", service=SERVICE, reservedPeeringRanges=[block.name])


def test_a_connection_takes_ranges_of_its_network(create: Create) -> None:
    vpc, other = network(create), network(create, "other")
    block = allocated(create, other)
    with pytest.raises(CloudError, match="Allocated range gone was not found"):
        create(CONNECTION, network=vpc.id, service=SERVICE, reservedPeeringRanges=["gone"])
    with pytest.raises(CloudError, match="is not allocated for VPC_PEERING in network projects/p/global/networks/n"):
        create(CONNECTION, network=vpc.id, service=SERVICE, reservedPeeringRanges=[block.name])
    with pytest.raises(CloudError, match="networks/gone' was not found"):
        create(CONNECTION, network="gone", service=SERVICE, reservedPeeringRanges=[block.name])


@pytest.mark.parametrize(
    ("token", "inputs"),
    [
        ("compute/network:Network", {"name": "x"}),
        ("compute/globalAddress:GlobalAddress", {"name": "x"}),
        ("compute/resourcePolicy:ResourcePolicy", {"name": "x"}),
        ("serviceaccount/account:Account", {"accountId": "nodes-x"}),
    ],
)
def test_a_name_that_is_taken_is_refused(create: Create, token: str, inputs: dict[str, Any]) -> None:
    first = create(token, "first", **inputs)
    with pytest.raises(CloudError, match=f"Error 409: The resource '{first.id}' already exists, alreadyExists"):
        create(token, "second", **inputs)
