"""The fabric of each machine type: its networks, and its plugin with the daemon that fits it."""

from __future__ import annotations

import pytest

from gpucluster.components.gcp.fabric import FABRICS, DeviceNetwork, fabric_of
from gpucluster.components.plan import PlanError

IMAGES = "us-docker.pkg.dev/gce-ai-infra"


def test_each_machine_type_has_one_fabric_one_plugin_and_the_daemon_released_with_it() -> None:
    assert {
        machine: (item.kind, item.accelerator, item.plugin_image, item.daemon_image)
        for machine, item in FABRICS.items()
    } == {
        "a3-highgpu-8g": (
            "TCPX",
            "nvidia-h100-80gb",
            f"{IMAGES}/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev:v3.1.12",
            f"{IMAGES}/gpudirect-tcpx/tcpgpudmarxd-dev:v2.0.15",
        ),
        "a3-megagpu-8g": (
            "TCPXO",
            "nvidia-h100-mega-80gb",
            f"{IMAGES}/gpudirect-tcpxo/nccl-plugin-gpudirecttcpx-dev:v1.0.15",
            f"{IMAGES}/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.21",
        ),
        "a3-ultragpu-8g": ("RoCE", "nvidia-h200-141gb", f"{IMAGES}/gpudirect-gib/nccl-plugin-gib:v1.1.1", None),
    }


@pytest.mark.parametrize(("machine", "count"), [("a3-highgpu-8g", 4), ("a3-megagpu-8g", 8)])
def test_tcpx_has_4_and_tcpxo_8_networks_of_their_own(machine: str, count: int) -> None:
    assert FABRICS[machine].networks == tuple(
        DeviceNetwork(name=f"vpc{number}", device_mode="NetDevice") for number in range(1, count + 1)
    )


def test_roce_has_a_second_host_network_and_8_rdma_networks() -> None:
    assert FABRICS["a3-ultragpu-8g"].networks == (
        DeviceNetwork(name="gvnic-1", device_mode="NetDevice"),
        *(DeviceNetwork(name=f"rdma-{number}", device_mode="RDMA") for number in range(8)),
    )


@pytest.mark.parametrize(
    ("machine", "plugin", "daemon"),
    [
        ("a3-highgpu-8g", "v3.1.9", "v2.0.12"),
        ("a3-megagpu-8g", "v1.0.14", "v1.0.20"),
        ("a3-ultragpu-8g", "v1.1.0", None),
    ],
)
def test_another_pair_that_was_released_together_is_taken(machine: str, plugin: str, daemon: str | None) -> None:
    found = fabric_of(machine, plugin=plugin, daemon=daemon)
    assert (found.plugin, found.daemon) == (plugin, daemon)


@pytest.mark.parametrize(
    ("machine", "plugin", "daemon", "expected"),
    [
        (
            "a3-highgpu-8g",
            "v3.1.12",
            "v2.0.12",
            "fabric has plugin v3.1.12 with daemon v2.0.12; allowed for TCPX: plugin v3.1.12 with daemon v2.0.15, "
            "plugin "
            "v3.1.9 with daemon v2.0.12; write one of these",
        ),
        (
            "a3-megagpu-8g",
            "v1.0.15",
            None,
            "fabric has plugin v1.0.15 with no daemon; allowed for TCPXO: plugin v1.0.15 with daemon v1.0.21, plugin "
            "v1.0.14 with daemon v1.0.20; write one of these",
        ),
        (
            "a3-ultragpu-8g",
            "v1.1.1",
            "v1.0.21",
            "fabric has plugin v1.1.1 with daemon v1.0.21; allowed for RoCE: plugin v1.1.1 with no daemon, plugin "
            "v1.1.0 "
            "with no daemon; write one of these",
        ),
        (
            "a3-highgpu-8g",
            None,
            "v2.0.15",
            "fabric has no plugin with daemon v2.0.15; allowed for TCPX: plugin v3.1.12 with daemon v2.0.15, plugin "
            "v3.1.9 with daemon v2.0.12; write one of these",
        ),
    ],
)
def test_a_pair_that_was_not_released_together_is_refused(
    machine: str, plugin: str | None, daemon: str | None, expected: str
) -> None:
    with pytest.raises(PlanError) as refusal:
        fabric_of(machine, plugin=plugin, daemon=daemon)
    assert tuple(map(str, refusal.value.problems)) == (f"Fabric of {machine}: {expected}",)


def test_a_machine_without_a_fabric_is_named_with_those_that_have_one() -> None:
    with pytest.raises(PlanError) as refusal:
        fabric_of("a3-highgpu-4g")
    assert tuple(map(str, refusal.value.problems)) == (
        "a3-highgpu-4g has no GPU fabric between nodes; machine types that have one: a3-highgpu-8g, a3-megagpu-8g, "
        "a3-ultragpu-8g",
    )
