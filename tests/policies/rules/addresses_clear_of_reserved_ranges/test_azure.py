"""addresses-clear-of-reserved-ranges on Azure: InfiniBand's range and those AKS keeps."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.addresses_clear_of_reserved_ranges import RULE

SUBNET = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/{}/subnets/nodes"


@pytest.mark.parametrize("written", ["172.16.0.0/16", "172.16.128.0/20", "172.16.0.0/12", "172.0.0.0/8"])
def test_a_network_on_infinibands_range_is_found(nd, found, written):
    nd["vnet"]["addressSpace"]["addressPrefixes"] = ["10.16.0.0/12", written]
    [(name, what)] = found(RULE, nd)
    assert name == "vnet"
    assert what.startswith(f"virtual network `vnet` at {written}, which overlaps InfiniBand's 172.16.0.0/16")


@pytest.mark.parametrize("written", ["172.17.0.0/16", "172.15.0.0/16", "10.16.0.0/12", "192.168.0.0/16", "fd00::/48"])
def test_a_network_beside_it_passes(nd, found, unknown, written):
    nd["vnet"]["addressSpace"]["addressPrefixes"] = [written]
    assert (found(RULE, nd), unknown(RULE, nd)) == ([], [])


@pytest.mark.parametrize(
    ("key", "value", "what"),
    [
        ("podCidr", "172.16.0.0/16", "pods at 172.16.0.0/16"),
        ("serviceCidr", "172.16.8.0/22", "services at 172.16.8.0/22"),
        ("podCidrs", ["10.244.0.0/16", "172.16.0.0/14"], "pods at 172.16.0.0/14"),
        ("serviceCidrs", ["172.16.0.0/24"], "services at 172.16.0.0/24"),
    ],
)
def test_pods_and_services_keep_clear_of_it_too(nd, found, key, value, what):
    nd["cluster"]["networkProfile"][key] = value
    assert found(RULE, nd) == [("cluster", f"{what}, which overlaps InfiniBand's 172.16.0.0/16")]


def test_without_infiniband_its_range_is_free(nd, found):
    nd["vnet"]["addressSpace"]["addressPrefixes"] = ["172.16.0.0/16"]
    nd["cluster"]["networkProfile"]["podCidr"] = "172.16.0.0/16"
    nd["train"]["vmSize"] = "Standard_NC40ads_H100_v5"
    assert found(RULE, nd) == []


@pytest.mark.parametrize("kept", ["169.254.0.0/16", "172.30.0.0/16", "172.31.0.0/16", "192.0.2.0/24"])
def test_aks_keeps_ranges_of_every_cluster(nd, found, kept):
    nd.remove("train")
    nd["cluster"]["networkProfile"]["serviceCidr"] = kept
    assert found(RULE, nd) == [("cluster", f"services at {kept}, which overlaps AKS's {kept}")]


def test_all_of_them_are_told_at_once(nd, found):
    nd["cluster"]["networkProfile"].update(podCidr="172.16.0.0/12", serviceCidr="172.16.0.0/16")
    assert found(RULE, nd) == [
        (
            "cluster",
            "pods at 172.16.0.0/12, which overlaps InfiniBand's 172.16.0.0/16 and AKS's 172.30.0.0/16 and AKS's "
            "172.31.0.0/16; services at 172.16.0.0/16, which overlaps InfiniBand's 172.16.0.0/16",
        )
    ]


def test_a_network_found_by_its_name_is_looked_at(nd, found):
    nd["vnet"]["addressSpace"]["addressPrefixes"] = ["172.16.0.0/16"]
    nd["train"]["vnetSubnetID"] = SUBNET.format("VNET")
    nd.depends("train", "vnetSubnetID")
    nd["cluster"]["agentPoolProfiles"] = []
    assert [name for name, _ in found(RULE, nd)] == ["vnet"]


def test_a_network_from_elsewhere_is_said(nd, found, unknown):
    nd["train"]["vnetSubnetID"] = SUBNET.format("shared")
    nd.depends("train", "vnetSubnetID")
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [
        ("train", "virtual network `shared` is not part of this stack: its addresses are unknown")
    ]


def test_a_network_of_akss_own_is_clear(nd, found, unknown):
    nd["train"]["vnetSubnetID"] = None
    nd["cluster"]["agentPoolProfiles"][0]["vnetSubnetID"] = None
    assert (found(RULE, nd), unknown(RULE, nd)) == ([], [])


def test_a_cluster_from_elsewhere_leaves_its_network_here(nd, found):
    nd.remove("cluster")
    nd["vnet"]["addressSpace"]["addressPrefixes"] = ["172.16.0.0/16"]
    assert [name for name, _ in found(RULE, nd)] == ["vnet"]


def test_addresses_not_known_yet_are_said(nd, found, unknown):
    nd["vnet"]["addressSpace"] = nd.unknown
    nd["cluster"]["networkProfile"]["podCidr"] = nd.unknown
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [
        ("cluster", "the addresses of its pods are not known yet"),
        ("vnet", "the addresses of its virtual network `vnet` are not known yet"),
    ]
