"""fabric-interfaces-complete on Google Cloud: one mutation of the compliant program per case."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.fabric_interfaces_complete import RULE
from tests.says import Says


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


def test_networks_told_by_their_subnets_alone_count(mega, found):
    _hide(mega)
    mega.depends("train", "networkConfig", *(f"gpu-{number}-subnet" for number in range(8)))
    mega["gpu-3"]["mtu"] = 1460.0
    assert [name for name, _ in found(RULE, mega)] == ["train"]


def test_one_network_twice_is_found_before_its_name_is_known(mega, found):
    _hide(mega)
    mega.depends("train", "networkConfig", *(f"gpu-{number}" for number in range(7)))
    assert found(RULE, mega) == [("train", Says("5", "a3-megagpu-8g", "8", "7"))]


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


def test_parameters_not_known_yet_are_those_of_what_they_come_from(mega, found, unknown):
    for number in range(8):
        mega[f"gpu-{number}-parameters"]["spec"].update(vpc=mega.unknown, vpcSubnet=mega.unknown)
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


def test_network_objects_of_another_stack_are_said(mega, found, unknown):
    for number in range(8):
        mega.remove(f"gpu-{number}-parameters")
        mega.remove(f"gpu-{number}-network")
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [("train", Says("no", "GKENetworkParamSet", "GPU"))]
