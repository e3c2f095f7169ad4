"""fabric-interfaces-complete on Google Cloud: one mutation of the compliant program per case."""

from __future__ import annotations

import copy

import pytest

from gpucluster.policies.rules.fabric_interfaces_complete import RULE


def _networks(program):
    return program["train"]["networkConfig"]["additionalNodeNetworkConfigs"]


def _hide(program):
    """Names that the cloud gives: before the update only what they come from is known."""
    for entry in _networks(program):
        entry.update(network=program.unknown, subnetwork=program.unknown)


@pytest.mark.parametrize(
    ("machine", "label"), [("high", "a3-highgpu-8g"), ("mega", "a3-megagpu-8g"), ("ultra", "a3-ultragpu-8g")]
)
def test_a_missing_network_is_found_on_every_machine_type(request, found, machine, label):
    program = request.getfixturevalue(machine)
    total = len(_networks(program))
    _networks(program).pop()
    assert found(RULE, program) == [("train", f"5 nodes of {label} with {total - 1} of {total} additional networks")]


def test_no_networks_at_all_is_no_fabric(mega, found):
    del mega["train"]["networkConfig"]
    mega.depends("train", "networkConfig")
    assert found(RULE, mega) == [("train", "5 nodes of a3-megagpu-8g with 0 of 8 additional networks")]


def test_a3_mega_takes_exactly_eight(mega, found):
    _networks(mega).append({"network": "extra", "subnetwork": "extra"})
    assert found(RULE, mega) == [
        (
            "train",
            "5 nodes of a3-megagpu-8g with 9 additional networks; a3-megagpu-8g requires exactly 8: one more takes "
            "the place of a GPU's network",
        )
    ]


def test_a3_high_may_have_one_more(high, found):
    high.add("gcp:compute/network:Network", "extra", {"name": "extra", "mtu": 8244.0})
    high.add("gcp:compute/subnetwork:Subnetwork", "extra-subnet", {"name": "extra-subnet", "network": "extra"})
    parameters = {"metadata": {"name": "extra"}, "spec": {"vpcSubnet": "extra-subnet", "deviceMode": "NetDevice"}}
    high.add("kubernetes:networking.gke.io/v1:GKENetworkParamSet", "extra-parameters", parameters)
    reference = {"metadata": {"name": "extra"}, "spec": {"type": "Device", "parametersRef": {"name": "extra"}}}
    high.add("kubernetes:networking.gke.io/v1:Network", "extra-network", reference)
    _networks(high).append({"network": "extra", "subnetwork": "extra-subnet"})
    assert found(RULE, high) == []


@pytest.mark.parametrize("gvnic", [None, {"enabled": False}])
def test_nodes_with_a_fabric_need_gvnic(mega, found, gvnic):
    mega["train"]["nodeConfig"]["gvnic"] = gvnic
    assert found(RULE, mega) == [("train", "5 nodes of a3-megagpu-8g without gVNIC")]


def test_gvnic_not_known_yet_is_said(mega, found, unknown):
    mega["train"]["nodeConfig"]["gvnic"] = mega.unknown
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [("train", "whether gVNIC is on is not known yet")])


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"enableMultiNetworking": None}, "enableMultiNetworking"),
        ({"datapathProvider": "LEGACY_DATAPATH"}, "datapathProvider ADVANCED_DATAPATH"),
        (
            {"enableMultiNetworking": False, "datapathProvider": None},
            "enableMultiNetworking and datapathProvider ADVANCED_DATAPATH",
        ),
    ],
)
def test_the_cluster_has_multi_networking(mega, found, changed, what):
    mega["cluster"].update(changed)
    assert found(RULE, mega) == [("train", f"5 nodes of a3-megagpu-8g in cluster `cluster` without {what}")]


def test_multi_networking_not_known_yet_is_said(mega, found, unknown):
    mega["cluster"]["enableMultiNetworking"] = mega.unknown
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [("train", "whether its cluster has multi-networking is not known yet")]


def test_a_cluster_of_another_stack_is_said(mega, found, unknown):
    mega["train"]["cluster"] = "elsewhere"
    mega.depends("train", "cluster")
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [
        ("train", "its cluster is not part of this stack: whether it has multi-networking is unknown")
    ]


def test_the_mtu_of_every_gpu_network_and_of_the_clusters_own_is_looked_at(mega, found):
    mega["gpu-3"]["mtu"] = 8896.0
    del mega["vpc"]["mtu"]
    assert found(RULE, mega) == [
        (
            "train",
            "5 nodes of a3-megagpu-8g: GPUDirect-TCPXO requires MTU 8244; `gpu-3` has 8896, `vpc` has 1460",
        )
    ]


def test_mtus_are_looked_at_when_only_dependencies_tell_the_networks(mega, found):
    _hide(mega)
    mega["gpu-3"]["mtu"] = 1460.0
    assert found(RULE, mega) == [
        (
            "train",
            "5 nodes of a3-megagpu-8g: GPUDirect-TCPXO requires MTU 8244; `gpu-3` has 1460",
        )
    ]


def test_networks_told_by_their_subnets_alone_count(mega, found):
    _hide(mega)
    mega.depends("train", "networkConfig", *(f"gpu-{number}-subnet" for number in range(8)))
    mega["gpu-3"]["mtu"] = 1460.0
    assert [name for name, _ in found(RULE, mega)] == ["train"]


def test_an_mtu_not_known_yet_is_said(mega, found, unknown):
    mega["gpu-3"]["mtu"] = mega.unknown
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [("train", "the MTU of network `gpu-3` is unknown")])


def test_a_network_of_another_stack_is_said(mega, found, unknown):
    mega.remove("gpu-3")
    assert found(RULE, mega) == []
    assert ("train", "the MTU of network `gpu-3` is unknown") in unknown(RULE, mega)


def test_one_network_twice_is_found(mega, found):
    _networks(mega)[7].update(network="gpu-0")
    mega["gpu-7-parameters"]["spec"]["vpc"] = "gpu-0"
    assert found(RULE, mega) == [("train", "5 nodes of a3-megagpu-8g with 8 additional networks on 7 networks")]


def test_one_network_twice_is_found_before_its_name_is_known(mega, found):
    _hide(mega)
    mega.depends("train", "networkConfig", *(f"gpu-{number}" for number in range(7)))
    assert found(RULE, mega) == [("train", "5 nodes of a3-megagpu-8g with 8 additional networks on 7 networks")]


def test_the_clusters_own_network_is_none_of_them(mega, found):
    _networks(mega)[0].update(network="projects/training-trial/global/networks/vpc")
    what = "5 nodes of a3-megagpu-8g with the cluster's own network among its additional networks"
    assert ("train", what) in found(RULE, mega)


def test_networks_that_are_not_known_at_all_are_said(mega, found, unknown):
    mega["train"]["networkConfig"] = {"additionalNodeNetworkConfigs": mega.unknown}
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [("train", "its additional networks are not known yet")])
    mega["train"]["networkConfig"] = mega.unknown
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [("train", "whether GKE creates its GPU networks is not known yet")]


def test_roce_networks_come_after_the_one_of_gvnic(ultra, found):
    networks = _networks(ultra)
    networks.append(networks.pop(0))
    ultra["gvnic-parameters"]["spec"]["deviceMode"] = "RDMA"
    ultra["rdma-0-parameters"]["spec"]["deviceMode"] = "NetDevice"
    assert found(RULE, ultra) == [
        (
            "train",
            "5 nodes of a3-ultragpu-8g with additional networks in the order RoCE, RoCE, RoCE, RoCE, RoCE, RoCE, RoCE, "
            "RoCE, gVNIC; required: 1 gVNIC, then 8 RoCE",
        )
    ]


def test_a_gpu_network_without_the_roce_profile_is_found(ultra, found):
    del ultra["roce"]["networkProfile"]
    [(_, what)] = found(RULE, ultra)
    assert what.startswith("5 nodes of a3-ultragpu-8g with additional networks in the order gVNIC, gVNIC")


def test_a_roce_network_is_tied_to_the_zone_of_its_profile(ultra, found):
    ultra["train"]["nodeLocations"] = ["us-central1-b"]
    assert found(RULE, ultra) == [
        ("train", "5 nodes of a3-ultragpu-8g in us-central1-b, but RoCE network `roce` is tied to us-central1-a")
    ]


def test_the_mtu_of_a_roce_network_is_8896(ultra, found):
    ultra["roce"]["mtu"] = 8244.0
    assert found(RULE, ultra) == [
        ("train", "5 nodes of a3-ultragpu-8g on RoCE network `roce` with MTU 8244; required: 8896")
    ]


def test_a_roce_network_has_its_mtu_from_the_profile(ultra, found, unknown):
    del ultra["roce"]["mtu"]
    assert (found(RULE, ultra), unknown(RULE, ultra)) == ([], [])


def test_networks_of_the_host_keep_their_own_mtu_on_a3_ultra(ultra, found):
    ultra["vpc"]["mtu"] = ultra["gvnic"]["mtu"] = 1460.0
    assert found(RULE, ultra) == []


def test_the_gpus_of_a_pool_share_one_roce_network(ultra, found):
    ultra.add("gcp:compute/network:Network", "roce-2", {**ultra["roce"], "name": "roce-2"})
    _networks(ultra)[8]["network"] = "roce-2"
    assert found(RULE, ultra) == [
        ("train", "5 nodes of a3-ultragpu-8g over 2 RoCE networks, `roce`, `roce-2`; the GPUs of a pool share one")
    ]


def test_a_roce_profile_not_known_yet_is_said(ultra, found, unknown):
    ultra["roce"]["networkProfile"] = ultra.unknown
    assert found(RULE, ultra) == []
    assert unknown(RULE, ultra) == [("train", "whether network `roce` is a RoCE network is unknown")]


def test_networks_that_gke_makes_itself_need_no_list(ultra, found, unknown):
    ultra["train"]["networkConfig"] = {"acceleratorNetworkProfile": "auto"}
    assert (found(RULE, ultra), unknown(RULE, ultra)) == ([], [])


def test_gke_makes_none_for_a3_mega(mega, found):
    mega["train"]["networkConfig"] = {"acceleratorNetworkProfile": "auto"}
    assert found(RULE, mega) == [("train", "5 nodes of a3-megagpu-8g with 0 of 8 additional networks")]


def test_every_network_has_parameters(mega, found):
    mega.remove("gpu-4-parameters")
    assert found(RULE, mega) == [
        (
            "train",
            "5 nodes of a3-megagpu-8g with additional networks without a GKENetworkParamSet: `gpu-4-subnet`",
        )
    ]


@pytest.mark.parametrize(
    ("machine", "name", "right", "wrong"),
    [
        ("ultra", "rdma-2", "RDMA", "NetDevice"),
        ("ultra", "gvnic", "NetDevice", "RDMA"),
        ("high", "gpu-0", "NetDevice", "RDMA"),
    ],
)
def test_parameters_have_the_mode_of_the_fabric(request, found, machine, name, right, wrong):
    program = request.getfixturevalue(machine)
    program[f"{name}-parameters"]["spec"]["deviceMode"] = wrong
    label = program["train"]["nodeConfig"]["machineType"]
    assert found(RULE, program) == [
        ("train", f"5 nodes of {label}: GKENetworkParamSet `{name}-parameters` has deviceMode {wrong}, not {right}")
    ]


def test_every_parameters_have_a_network(mega, found):
    mega.remove("gpu-4-network")
    assert found(RULE, mega) == [
        ("train", "5 nodes of a3-megagpu-8g: no Network refers to GKENetworkParamSet `gpu-4-parameters`")
    ]


def test_parameters_not_known_yet_are_those_of_what_they_come_from(mega, found, unknown):
    for number in range(8):
        mega[f"gpu-{number}-parameters"]["spec"].update(vpc=mega.unknown, vpcSubnet=mega.unknown)
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


def test_network_objects_of_another_stack_are_said(mega, found, unknown):
    for number in range(8):
        mega.remove(f"gpu-{number}-parameters")
        mega.remove(f"gpu-{number}-network")
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [
        ("train", "this stack has no GKENetworkParamSet, which pods need to attach to GPU networks")
    ]


def test_parameters_of_another_cluster_are_none_of_ours(mega, found):
    parameters = copy.deepcopy(mega["gpu-0-parameters"])
    parameters["spec"].update(vpc="elsewhere", vpcSubnet="elsewhere", deviceMode="RDMA")
    mega.add("kubernetes:networking.gke.io/v1:GKENetworkParamSet", "foreign", parameters)
    assert found(RULE, mega) == []


def test_machines_without_a_gpu_fabric_need_no_networks(mega, found, unknown):
    mega["train"].pop("networkConfig")
    mega["train"]["nodeConfig"]["machineType"] = "a2-highgpu-8g"
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


def test_a_machine_type_not_known_yet_is_said(mega, found, unknown):
    mega["train"]["nodeConfig"]["machineType"] = mega.unknown
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [("train", "the GPU networks that 5 GPU nodes require are not known yet")]
