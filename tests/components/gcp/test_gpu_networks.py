"""The objects for the GPU interfaces of each machine type, typed out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.components.gcp.fabric import FABRICS
from gpucluster.components.gcp.gpu_networks import GpuNetworks
from gpucluster.components.labelling import labelled_objects
from gpucluster.components.planning import PlanError

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]


def pair(name: str, vpc: str, subnet: str, mode: str) -> Registered:
    metadata = {"name": name, "labels": {"team": "ml"}}
    return [
        (
            "kubernetes:networking.gke.io/v1:GKENetworkParamSet",
            f"nets-{name}-parameters",
            {
                "apiVersion": "networking.gke.io/v1",
                "kind": "GKENetworkParamSet",
                "metadata": metadata,
                "spec": {"vpc": vpc, "vpcSubnet": subnet, "deviceMode": mode},
            },
        ),
        (
            "kubernetes:networking.gke.io/v1:Network",
            f"nets-{name}",
            {
                "apiVersion": "networking.gke.io/v1",
                "kind": "Network",
                "metadata": metadata,
                "spec": {
                    "type": "Device",
                    "parametersRef": {"group": "networking.gke.io", "kind": "GKENetworkParamSet", "name": name},
                },
            },
        ),
    ]


@pytest.mark.parametrize(("machine", "count"), [("a3-highgpu-8g", 4), ("a3-megagpu-8g", 8)])
def test_tcpx_and_tcpxo_have_a_network_of_its_own_for_each_interface(registered: Run, machine: str, count: int) -> None:
    subnets = [(f"gpu-{index}", f"gpu-sub-{index}") for index in range(count)]
    found = registered(
        lambda: GpuNetworks("nets", FABRICS[machine], subnets=subnets, opts=labelled_objects({"team": "ml"}, None))
    )
    expected = [
        item
        for index in range(count)
        for item in pair(f"vpc{index + 1}", f"gpu-{index}", f"gpu-sub-{index}", "NetDevice")
    ]
    assert sorted(found, key=lambda item: item[1]) == sorted(expected, key=lambda item: item[1])


def test_roce_has_one_host_network_and_8_subnets_of_one_rdma_network(registered: Run) -> None:
    subnets = [("host", "host-sub"), *(("roce", f"roce-{index}") for index in range(8))]
    found = registered(
        lambda: GpuNetworks(
            "nets", FABRICS["a3-ultragpu-8g"], subnets=subnets, opts=labelled_objects({"team": "ml"}, None)
        )
    )
    expected = pair("gvnic-1", "host", "host-sub", "NetDevice")
    for index in range(8):
        expected += pair(f"rdma-{index}", "roce", f"roce-{index}", "RDMA")
    assert sorted(found, key=lambda item: item[1]) == sorted(expected, key=lambda item: item[1])


@pytest.mark.parametrize(("machine", "count"), [("a3-highgpu-8g", 3), ("a3-megagpu-8g", 9), ("a3-ultragpu-8g", 8)])
def test_another_number_of_networks_is_refused(registered: Run, machine: str, count: int) -> None:
    subnets = [("n", f"s-{index}") for index in range(count)]
    with pytest.raises(PlanError, match=f"{machine} has {count} additional networks; .* requires exactly"):
        registered(lambda: GpuNetworks("nets", FABRICS[machine], subnets=subnets))
