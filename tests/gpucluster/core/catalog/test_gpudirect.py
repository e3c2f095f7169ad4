"""GPU fabrics of Google Cloud's machines."""

from __future__ import annotations

import pytest

from gpucluster.core.catalog.fabrics import fabric_of
from gpucluster.core.catalog.machines import machines


@pytest.mark.parametrize(
    ("machine", "networks", "mtu", "name"),
    [
        ("a3-highgpu-8g", 4, 8244, "GPUDirect-TCPX"),
        ("a3-edgegpu-8g", 4, 8244, "GPUDirect-TCPX"),
        ("a3-megagpu-8g", 8, 8244, "GPUDirect-TCPXO"),
        ("a3-ultragpu-8g", 9, 8896, "GPUDirect RDMA over RoCE"),
        ("a4-highgpu-8g", 9, 8896, "GPUDirect RDMA over RoCE"),
    ],
)
def test_a_machine_has_the_networks_of_its_blueprint(machine, networks, mtu, name):
    fabric = fabric_of(machines()[machine])
    assert (fabric.networks, len(fabric.device_modes), fabric.mtu, fabric.name) == (networks, networks, mtu, name)


def test_the_gpus_of_roce_come_after_the_network_of_the_host():
    assert fabric_of(machines()["a3-ultragpu-8g"]).device_modes == ("NetDevice", *("RDMA",) * 8)


def test_only_whole_nodes_of_google_cloud_have_one():
    found = {name: fabric for name, machine in machines().items() if (fabric := fabric_of(machine))}
    assert all(machines()[name].cloud == "gcp" and machines()[name].whole_node for name in found)
    assert {fabric.kind for fabric in found.values()} == {"TCPX", "TCPXO", "RoCE"}
