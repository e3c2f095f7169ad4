"""The machines of AWS in our tables against EC2's own answers (DescribeInstanceTypes), as moto ships them:
`moto/ec2/resources/instance_types.json.gz`. moto is there for its file alone, and is not imported.
"""

from __future__ import annotations

import functools
import gzip
import importlib.metadata
import json
import math
import re
from pathlib import Path
from typing import Any, Final

import pytest

from gpucluster.components.aws.planning.training import plan_interfaces
from gpucluster.core.catalog.kubernetes_versions import eks_pods
from gpucluster.core.catalog.machines import Machine, cpu_machines, machines
from gpucluster.sandbox.clouds.aws.rules.network import CARDS

GPU_MACHINES: Final = tuple(name for name, machine in machines().items() if machine.cloud == "aws")
BUILT: Final = tuple(name for name in GPU_MACHINES if machines()[name].clusters)

# (machine, fact) -> (EC2's answer, ours, why they differ).
DIFFERENT: Final[dict[tuple[str, str], tuple[Any, Any, str]]] = {
    ("p5en.48xlarge", "host_gbps"): (200, 100, "no page gives the part of IP on its cards; plans say the lower rate"),
}


@functools.cache
def answers() -> dict[str, Any]:
    file = importlib.metadata.distribution("moto").locate_file("moto/ec2/resources/instance_types.json.gz")
    return json.loads(gzip.decompress(Path(str(file)).read_bytes()))


def facts_of(answer: Any) -> dict[str, Any]:
    """EC2's answer about a machine with GPUs, in the terms of our table."""
    [gpu], network, disks = answer["GpuInfo"]["Gpus"], answer["NetworkInfo"], answer["InstanceStorageInfo"]
    cards = network["NetworkCards"]
    return {
        "gpu": gpu["Name"].lower(),
        "gpus": gpu["Count"],
        "gpu_memory_mib": gpu["MemoryInfo"]["SizeInMiB"],
        "vcpus": answer["VCpuInfo"]["DefaultVCpus"],
        "memory_gib": answer["MemoryInfo"]["SizeInMiB"] // 1024,
        "nvme_disks": sum(disk["Count"] for disk in disks["Disks"]),
        "nvme_gb": disks["TotalSizeInGB"],
        "fabric_gbps": math.prod(map(int, re.findall(r"\d+", network["NetworkPerformance"]))),
        "host_gbps": int(cards[0]["PeakBandwidthInGbps"]),
        "fabric_cards": tuple(card["NetworkCardIndex"] for card in cards if "efa-only" in card["InterfaceTypes"]),
        "efa": network["EfaInfo"]["MaximumEfaInterfaces"],
        "interfaces_per_card": {card["MaximumNetworkInterfaces"] for card in cards},
        "pods": cards[0]["MaximumNetworkInterfaces"] * (network["Ipv4AddressesPerInterface"] - 1) + 2,
        "architecture": answer["ProcessorInfo"]["SupportedArchitectures"],
    }


def ours(machine: Machine) -> dict[str, Any]:
    return {
        "gpu": machine.model,
        "gpus": machine.gpus,
        "gpu_memory_mib": machine.gpu_memory_mib,
        "vcpus": machine.vcpus,
        "memory_gib": machine.memory_gib,
        "nvme_disks": machine.nvme_disks,
        "nvme_gb": machine.nvme_gb,
        "fabric_gbps": machine.fabric_gbps,
        "host_gbps": machine.host_gbps,
        "fabric_cards": machine.fabric_cards,
        "efa": machine.network_cards,
        "interfaces_per_card": {machine.interfaces_per_card},
        "pods": eks_pods(machine.machine_type),
        "architecture": ["x86_64"],
    }


def test_every_machine_is_as_ec2_describes_it_or_the_difference_is_explained() -> None:
    compared, different = 0, dict[tuple[str, str], tuple[Any, Any]]()
    for name in GPU_MACHINES:
        theirs = facts_of(answers()[name])
        for fact, value in ours(machines()[name]).items():
            compared += 1
            if value != theirs[fact]:
                different[name, fact] = (theirs[fact], value)
    assert different == {key: (theirs, mine) for key, (theirs, mine, _) in DIFFERENT.items()}
    assert compared == 14 * len(GPU_MACHINES)


def test_machines_without_gpus_are_as_ec2_describes_them() -> None:
    found = {row.machine_type: (row.vcpus, row.memory_gib) for row in cpu_machines().values() if row.cloud == "aws"}
    assert found == {
        name: (answers()[name]["VCpuInfo"]["DefaultVCpus"], answers()[name]["MemoryInfo"]["SizeInMiB"] // 1024)
        for name in found
    }


@pytest.mark.parametrize("name", BUILT)
def test_nodes_have_every_efa_interface_of_their_machine_and_one_for_ip(name: str) -> None:
    planned = plan_interfaces(machines()[name])
    assert (
        sum(item.kind == "efa-only" for item in planned)
        == answers()[name]["NetworkInfo"]["EfaInfo"]["MaximumEfaInterfaces"]
    )
    assert [item for item in planned if item.kind == "interface"] == [planned[0]]


@pytest.mark.parametrize("name", sorted(CARDS))
def test_the_sandbox_knows_the_cards_of_ec2(name: str) -> None:
    cards, known = answers()[name]["NetworkInfo"]["NetworkCards"], CARDS[name]
    with_efa = [card["NetworkCardIndex"] for card in cards if "efa-only" in card["InterfaceTypes"]]
    assert (known.cards, known.efa_from, {known.interfaces_per_card}) == (
        *(len(cards), with_efa[0]),
        {card["MaximumNetworkInterfaces"] for card in cards},
    )


def test_every_machine_of_ec2_with_eight_gpus_of_a_known_model_is_in_the_table() -> None:
    models = {machine.model for machine in machines().values()}
    listed = {
        name
        for name, answer in answers().items()
        for gpu in answer.get("GpuInfo", {}).get("Gpus", ())
        if gpu["Name"].lower() in models
    }
    assert listed == set(GPU_MACHINES)
