"""The fabric of each machine type: its networks, and its plugin with the daemon that fits it."""

from __future__ import annotations

from tests.components.gcp.fabrics import FABRICS

IMAGES = "us-docker.pkg.dev/gce-ai-infra"


def test_each_machine_type_has_one_fabric_one_plugin_and_the_daemon_released_with_it() -> None:
    assert {
        machine: (item.kind, item.accelerator, item.release.plugin, item.release.daemon)
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
            f"{IMAGES}/gpudirect-tcpxo/nccl-plugin-gpudirecttcpx-dev:v1.0.16",
            f"{IMAGES}/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.22",
        ),
        "a3-ultragpu-8g": ("RoCE", "nvidia-h200-141gb", f"{IMAGES}/gpudirect-gib/nccl-plugin-gib:v1.1.1", ""),
        "a4-highgpu-8g": ("RoCE", "nvidia-b200", f"{IMAGES}/gpudirect-gib/nccl-plugin-gib:v1.1.1", ""),
    }
