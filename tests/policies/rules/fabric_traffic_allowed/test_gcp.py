"""fabric-traffic-allowed on Google Cloud: one mutation of the compliant program per case."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.fabric_traffic_allowed import RULE

FIREWALL = "gcp:compute/firewall:Firewall"


def _closed(protocols, *networks):
    named = ", ".join(f"`{network}`" for network in networks)
    what = f"{protocols} from the subnets of GPU network {named}"
    return [("train", f"5 nodes of a3-highgpu-8g; no firewall rule allows {what}")]


def _hidden(protocols, network):
    what = f"{protocols} from the subnets of GPU network `{network}`"
    return [("train", f"whether the firewall allows {what} is unknown")]


def test_without_rules_nothing_comes_in(high, found):
    high.remove("gpu-1-in")
    high.remove("gpu-2-in")
    assert found(RULE, high) == _closed("tcp, udp, icmp", "gpu-1", "gpu-2")


@pytest.mark.parametrize("number", range(3))
def test_each_protocol_is_needed(high, found, number):
    lost = high["gpu-0-in"]["allows"].pop(number)
    assert found(RULE, high) == _closed(lost["protocol"], "gpu-0")


@pytest.mark.parametrize(
    "allows",
    [
        [{"protocol": "all"}],
        [{"protocol": "6"}, {"protocol": "17"}, {"protocol": "1"}],
        [{"protocol": "tcp", "ports": ["0-65535"]}, {"protocol": "udp", "ports": ["1-65535"]}, {"protocol": "icmp"}],
    ],
)
def test_every_spelling_of_all_traffic_is_read(high, found, unknown, allows):
    high["gpu-0-in"]["allows"] = allows
    assert (found(RULE, high), unknown(RULE, high)) == ([], [])


def test_some_ports_are_not_all(high, found):
    high["gpu-0-in"]["allows"][0]["ports"] = ["22"]
    assert found(RULE, high) == _closed("tcp", "gpu-0")


@pytest.mark.parametrize("sources", [["192.168.0.0/16"], ["0.0.0.0/0"], ["10.0.0.0/8", "192.168.0.0/20"], []])
def test_sources_that_hold_the_subnet_are_enough(high, found, sources):
    high["gpu-0-in"]["sourceRanges"] = sources
    assert found(RULE, high) == []


@pytest.mark.parametrize("sources", [["192.168.0.0/21"], ["10.0.0.0/8"], ["fd00::/8"]])
def test_sources_that_do_not_are_not(high, found, sources):
    high["gpu-0-in"]["sourceRanges"] = sources
    assert found(RULE, high) == _closed("tcp, udp, icmp", "gpu-0")


@pytest.mark.parametrize("changed", [{"disabled": True}, {"direction": "EGRESS"}])
def test_a_rule_that_is_off_or_for_the_way_out_opens_nothing(high, found, changed):
    high["gpu-0-in"].update(changed)
    assert found(RULE, high) == _closed("tcp, udp, icmp", "gpu-0")


def test_several_rules_may_share_the_work(high, found):
    allows = high["gpu-0-in"]["allows"]
    high["gpu-0-in"]["allows"] = allows[:1]
    high.add(FIREWALL, "gpu-0-more", {**high["gpu-0-in"], "allows": allows[1:]}, network=["gpu-0"])
    assert found(RULE, high) == []


def test_a_rule_of_another_network_opens_nothing_here(high, found):
    high["gpu-0-in"]["network"] = "gpu-1"
    high.depends("gpu-0-in", "network", "gpu-1")
    assert found(RULE, high) == _closed("tcp, udp, icmp", "gpu-0")


@pytest.mark.parametrize(
    "changed",
    [
        {"targetTags": ["training"]},
        {"sourceTags": ["training"], "sourceRanges": []},
        {"targetServiceAccounts": ["nodes@p"]},
    ],
)
def test_a_rule_for_some_machines_decides_nothing(high, found, unknown, changed):
    high["gpu-0-in"].update(changed)
    assert (found(RULE, high), unknown(RULE, high)) == ([], _hidden("tcp, udp, icmp", "gpu-0"))


def test_a_rule_not_known_yet_decides_nothing(high, found, unknown):
    high["gpu-0-in"]["allows"] = high.unknown
    assert (found(RULE, high), unknown(RULE, high)) == ([], _hidden("tcp, udp, icmp", "gpu-0"))


def test_a_subnet_not_known_yet_decides_nothing(high, found, unknown):
    high["gpu-0-subnet"]["ipCidrRange"] = high.unknown
    assert (found(RULE, high), unknown(RULE, high)) == ([], _hidden("tcp, udp, icmp", "gpu-0"))


def test_a_firewall_policy_may_open_what_no_rule_does(high, found, unknown):
    high.remove("gpu-0-in")
    type_ = "gcp:compute/networkFirewallPolicyAssociation:NetworkFirewallPolicyAssociation"
    high.add(type_, "attached", {"attachmentTarget": high.unknown}, attachmentTarget=["gpu-0"])
    assert (found(RULE, high), unknown(RULE, high)) == ([], _hidden("tcp, udp, icmp", "gpu-0"))


def test_networks_that_only_dependencies_tell_are_looked_at(high, found):
    for entry in high["train"]["networkConfig"]["additionalNodeNetworkConfigs"]:
        entry.update(network=high.unknown, subnetwork=high.unknown)
    high.remove("gpu-3-in")
    assert found(RULE, high) == _closed("tcp, udp, icmp", "gpu-3")


def test_a_network_of_another_stack_is_said(high, found, unknown):
    high.remove("gpu-3")
    assert found(RULE, high) == []
    assert unknown(RULE, high) == [("train", "the firewall rules of network `gpu-3` are not part of this stack")]


def test_a_roce_network_takes_no_rules(ultra, found):
    ultra.add(FIREWALL, "in", {"network": "roce", "allows": [{"protocol": "all"}]})
    assert found(RULE, ultra) == [
        ("train", "5 nodes of a3-ultragpu-8g on RoCE network `roce`, which supports no firewall rules: `in`")
    ]


def test_a_rule_of_the_gvnic_network_is_no_rule_of_the_roce_network(ultra, found):
    ultra.add(FIREWALL, "in", {"network": "gvnic", "allows": [{"protocol": "all"}]})
    assert found(RULE, ultra) == []


def test_the_cluster_network_is_none_of_the_gpus(high, found):
    high.add(FIREWALL, "ssh", {"network": "vpc", "allows": [{"protocol": "tcp", "ports": ["22"]}]})
    assert found(RULE, high) == []
