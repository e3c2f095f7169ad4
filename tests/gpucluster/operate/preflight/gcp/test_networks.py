"""The user's network, subnet, NAT and private services access."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.operate.preflight.answers import Answer
from tests.gpucluster.operate.preflight.gcp.asked import one, summary
from tests.gpucluster.operate.preflight.gcp.google import Call, Google, Refused
from tests.gpucluster.operate.preflight.gcp.world import NETWORK, network, subnet

ID = "projects/my-project/global/networks/office"
SUBNET = "projects/my-project/regions/us-central1/subnetworks/office-nodes"


def absent(_: Call) -> Any:
    raise Refused(404, "The resource was not found")


@pytest.mark.parametrize(("mtu", "verdict"), [(8244, "fine"), (1460, "stops up"), (None, "stops up")])
def test_the_network_has_the_mtu_of_the_gpu_networks(google: Google, mtu: int | None, verdict: str) -> None:
    answer = {"name": "office"} if mtu is None else network(mtu=mtu)
    google.answers["compute.networks.get"] = lambda _: answer
    found = one("network", ID, 8244, unit="bytes of MTU")
    assert summary(found)[:2] == (verdict, f"{mtu or 1460:,}")
    assert ("--mtu=8244" in found.command) == (verdict == "stops up")


def the_subnet() -> Answer:
    wanted = {"network": ID, "cidr": "10.20.0.0/20", "pods": "pods", "services": "services"}
    return one("subnet", SUBNET, "10.20.0.0/20", "us-central1", **wanted)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"ipCidrRange": "10.21.0.0/20"}, "its addresses are 10.21.0.0/20"),
        ({"privateIpGoogleAccess": False}, "Private Google Access is off"),
        ({"network": NETWORK.replace("office", "other")}, "it is in other"),
        ({"secondaryIpRanges": [{"rangeName": "pods"}]}, "no secondary range services"),
        ({"secondaryIpRanges": []}, "no secondary range pods; no secondary range services"),
    ],
)
def test_what_the_subnet_lacks_is_listed(google: Google, change: Any, found: str) -> None:
    assert summary(the_subnet())[0] == "fine"
    google.answers["compute.subnetworks.get"] = lambda _: subnet(**change)
    assert summary(the_subnet())[:2] == ("stops up", found)


@pytest.mark.parametrize(("about", "subject"), [("network", ID), ("subnet", SUBNET), ("peering", ID)])
def test_a_missing_network_stops(google: Google, about: str, subject: str) -> None:
    google.answers |= {"compute.networks.get": absent, "compute.subnetworks.get": absent}
    wanted = {"network": ID, "cidr": "10.20.0.0/20", "pods": "pods", "services": "services"}
    needed = 8244 if about == "network" else "10.30.0.0/20"
    assert summary(one(about, subject, needed, "us-central1", **wanted))[:2] == ("stops up", "does not exist")


@pytest.mark.parametrize(
    ("routers", "verdict"),
    [
        ([{"network": NETWORK, "nats": [{"name": "out"}]}], "fine"),
        ([{"network": NETWORK}], "warns"),
        ([{"network": NETWORK.replace("office", "other"), "nats": [{"name": "out"}]}], "warns"),
        ([], "warns"),
    ],
)
def test_the_network_has_nat(google: Google, routers: list[Any], verdict: str) -> None:
    google.answers["compute.routers.list"] = lambda _: {"items": routers}
    assert str(one("nat", ID, "Cloud NAT", "us-central1", decides=False).verdict) == verdict


def ranges(**change: Any) -> Any:
    own = {"name": "google", "address": "10.30.0.0", "prefixLength": 20, "purpose": "VPC_PEERING", "network": NETWORK}
    return {"items": [{**own, **change}]}


@pytest.mark.parametrize(
    ("peerings", "addresses", "verdict", "found"),
    [
        (True, ranges(), "fine", "10.30.0.0/20"),
        (True, ranges(prefixLength=16), "fine", "10.30.0.0/16"),
        (True, ranges(address="10.40.0.0"), "stops up", "10.40.0.0/20"),
        (True, ranges(prefixLength=24), "stops up", "10.30.0.0/24"),
        (True, ranges(purpose="GCE_ENDPOINT"), "stops up", "no range"),
        (True, ranges(network=NETWORK.replace("office", "other")), "stops up", "no range"),
        (False, ranges(), "stops up", "no private services access"),
    ],
)
def test_private_services_access_has_the_range(
    google: Google, peerings: bool, addresses: Any, verdict: str, found: str
) -> None:
    google.answers["compute.networks.get"] = lambda _: network(**({} if peerings else {"peerings": []}))
    google.answers["compute.globalAddresses.list"] = lambda _: addresses
    answer = one("peering", ID, "10.30.0.0/20")
    assert summary(answer)[:2] == (verdict, found)
    assert ("--ranges=google" in answer.command) == (not peerings)
