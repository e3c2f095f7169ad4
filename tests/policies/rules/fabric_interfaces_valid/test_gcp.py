"""fabric-interfaces-valid on Google Cloud: one mutation of the compliant program per case."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.fabric_interfaces_valid import RULE


def _networks(program):
    return program["train"]["networkConfig"]["additionalNodeNetworkConfigs"]


def test_sliced_gpus_have_no_networks(mega, found):
    mega["train"]["nodeConfig"]["guestAccelerators"][0]["gpuPartitionSize"] = "1g.10gb"
    assert found(RULE, mega) == [
        ("train", "8 additional networks on nodes with sliced GPUs, which have no GPU networks")
    ]
    _networks(mega).clear()
    assert found(RULE, mega) == []


def test_each_interface_has_a_network_and_subnet_of_its_own(mega, found):
    _networks(mega)[7] = dict(_networks(mega)[0])
    assert found(RULE, mega) == [
        (
            "train",
            "subnet `gpu-0-subnet` 2 times among its additional networks; each interface needs its own subnet; "
            "network `gpu-0` 2 times among its additional networks; each interface needs its own network",
        )
    ]


def test_interfaces_of_a_roce_network_share_it(ultra, found):
    assert found(RULE, ultra) == []
    _networks(ultra)[8] = dict(_networks(ultra)[7])
    assert [name for name, _ in found(RULE, ultra)] == ["train"]


def test_networks_not_known_yet_are_no_duplicates(mega, found, unknown):
    for entry in _networks(mega):
        entry.update(network=mega.unknown, subnetwork=mega.unknown)
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


def test_a_list_not_known_yet_is_said(mega, found, unknown):
    mega["train"]["networkConfig"] = mega.unknown
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [("train", "its additional networks are not known yet")])


def test_gke_makes_networks_for_roce_machines_only(mega, ultra, found):
    for program in (mega, ultra):
        program["train"]["networkConfig"] = {"acceleratorNetworkProfile": "auto"}
    assert found(RULE, ultra) == []
    assert found(RULE, mega) == [
        ("train", "acceleratorNetworkProfile `auto` on a3-megagpu-8g; only A3 Ultra and A4 support it")
    ]


def test_networks_are_made_by_gke_or_listed(ultra, found):
    ultra["train"]["networkConfig"]["acceleratorNetworkProfile"] = "auto"
    assert found(RULE, ultra) == [
        ("train", "acceleratorNetworkProfile `auto`, with which GKE creates the networks, together with 9 others")
    ]


@pytest.mark.parametrize(
    ("machine", "strategy", "what"),
    [
        ("mega", "TCPXO", "gpudirectStrategy `TCPXO`; allowed on a3-megagpu-8g: none"),
        ("mega", "RDMA", "gpudirectStrategy `RDMA`; allowed on a3-megagpu-8g: none"),
        ("ultra", "TCPX", "gpudirectStrategy `TCPX`; allowed on a3-ultragpu-8g: RDMA or none"),
    ],
)
def test_the_api_knows_one_strategy(request, found, machine, strategy, what):
    program = request.getfixturevalue(machine)
    program["train"]["nodeConfig"]["gpudirectStrategy"] = strategy
    assert found(RULE, program) == [("train", what)]


def test_rdma_is_the_strategy_of_roce_machines(ultra, found):
    ultra["train"]["nodeConfig"]["gpudirectStrategy"] = "RDMA"
    assert found(RULE, ultra) == []


def test_fast_socket_does_not_go_with_rdma(mega, ultra, found):
    for program in (mega, ultra):
        program["train"]["nodeConfig"]["fastSocket"] = {"enabled": True}
    assert found(RULE, mega) == []
    assert found(RULE, ultra) == [("train", "NCCL Fast Socket, which RDMA does not support")]


@pytest.mark.parametrize(("length", "problems"), [(41, 0), (42, 1)])
def test_the_name_of_a_network_object_is_short(mega, found, length, problems):
    mega["gpu-0-network"]["metadata"]["name"] = "n" * length
    assert found(RULE, mega) == [
        ("gpu-0-network", f"name `{'n' * length}` has {length} characters; GKE allows 41 for a Network")
    ] * problems  # fmt: skip


def test_pools_without_gpus_may_have_networks(mega, found, unknown):
    mega["train"]["nodeConfig"] = {"machineType": "n2-standard-32"}
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])
