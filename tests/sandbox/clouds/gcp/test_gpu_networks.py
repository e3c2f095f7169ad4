"""The networks of a GPU fabric."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.gcp.machines import machine

Stage = Any
"""What the fixture `stage` gives."""


@pytest.mark.parametrize(
    ("name", "networks", "mtu"),
    [
        ("a3-highgpu-1g", 0, None),
        ("a3-highgpu-8g", 4, 8244),
        ("a3-megagpu-8g", 8, 8244),
        ("a3-ultragpu-8g", 9, 8896),
        ("a4-highgpu-8g", 9, 8896),
    ],
)
def test_the_networks_of_a_machine_type_are_those_of_its_fabric(name: str, networks: int, mtu: int | None) -> None:
    found = machine(name)
    assert found is not None
    assert (found.gpu_networks, found.mtu) == (networks, mtu)


@pytest.mark.parametrize(("machine_type", "count"), [("a3-highgpu-8g", 4), ("a3-megagpu-8g", 8)])
def test_a_complete_fabric_is_accepted(stage: Stage, machine_type: str, count: int) -> None:
    networks = stage.gpu_networks(count)
    assert stage.pool(machine_type, networks=networks).inputs["networkConfig"] == {
        "additionalNodeNetworkConfigs": networks
    }


def test_a_pool_without_any_gpu_network_is_accepted(stage: Stage) -> None:
    assert stage.pool("a3-megagpu-8g").name.startswith("pool-")


@pytest.mark.parametrize(
    ("machine_type", "count", "message"),
    [
        ("a3-megagpu-8g", 7, "GPUDirect-TCPXO on a3-megagpu-8g needs 8 additional networks, and with 7"),
        ("a3-megagpu-8g", 9, "Machine type a3-megagpu-8g takes 8 additional networks; the pool has 9"),
        ("a3-highgpu-8g", 3, "GPUDirect-TCPX on a3-highgpu-8g needs 4 additional networks, and with 3"),
        ("a3-highgpu-8g", 5, "takes 4 additional networks; the pool has 5"),
    ],
)
def test_a_fabric_with_another_number_of_networks_is_refused(
    stage: Stage, machine_type: str, count: int, message: str
) -> None:
    with pytest.raises(CloudError, match=message):
        stage.pool(machine_type, networks=stage.gpu_networks(count))


def test_small_frames_are_refused_on_every_network_of_the_fabric(make_stage: Callable[..., Stage]) -> None:
    stage = make_stage(mtu=1460)
    with pytest.raises(CloudError, match=r"needs an MTU of 8244; network vpc-\w+ has 1460"):
        stage.pool(networks=stage.gpu_networks(8))


def test_small_frames_of_a_gpu_network_are_refused(stage: Stage) -> None:
    with pytest.raises(CloudError, match=r"needs an MTU of 8244; network gpu-0-\w+ has 8896"):
        stage.pool(networks=stage.gpu_networks(8, mtu=8896))


def test_two_interfaces_share_no_network(stage: Stage) -> None:
    networks = stage.gpu_networks(7)
    with pytest.raises(CloudError, match=r"Network gpu-0-\w+ is used by more than one interface"):
        stage.pool(networks=[*networks, networks[0]])


def test_an_interface_does_not_use_the_network_of_the_cluster(stage: Stage) -> None:
    own = {"network": stage.vpc.name, "subnetwork": stage.nodes.name}
    with pytest.raises(CloudError, match=r"Network vpc-\w+ is used by more than one interface"):
        stage.pool(networks=[*stage.gpu_networks(7), own])


def test_ranges_of_different_networks_of_a_node_do_not_overlap(stage: Stage) -> None:
    networks = stage.gpu_networks(7)
    other = stage.create("compute/network:Network", "o", autoCreateSubnetworks=False, mtu=8244)
    clashing = stage.subnetwork("o", other, "10.64.0.0/24")
    with pytest.raises(CloudError, match=r"Ranges 10\.64\.0\.0/14 of nodes-\w+ and 10\.64\.0\.0/24 of o-\w+ overlap"):
        stage.pool(networks=[*networks, {"network": other.name, "subnetwork": clashing.name}])


def test_additional_networks_need_a_cluster_with_multi_networking(make_stage: Callable[..., Stage]) -> None:
    stage = make_stage(enableMultiNetworking=False)
    with pytest.raises(CloudError, match="require a cluster with multi-networking enabled"):
        stage.pool(networks=stage.gpu_networks(8))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"network": "gone"}, "Error 404: Network gone does not exist, notFound"),
        ({"subnetwork": "gone"}, "Error 404: Subnetwork gone does not exist, notFound"),
    ],
    ids=str,
)
def test_an_additional_network_exists(stage: Stage, change: dict[str, str], message: str) -> None:
    first, *rest = stage.gpu_networks(8)
    with pytest.raises(CloudError, match=message):
        stage.pool(networks=[{**first, **change}, *rest])


def test_a_subnetwork_is_in_its_network(stage: Stage) -> None:
    first, second, *rest = stage.gpu_networks(8)
    swapped = {**first, "subnetwork": second["subnetwork"]}
    with pytest.raises(CloudError, match=r"Subnetwork gpu-1-\w+ is not in network gpu-0-\w+"):
        stage.pool(networks=[swapped, second, *rest])


def test_a_roce_fabric_is_one_ordinary_network_and_eight_subnetworks(stage: Stage) -> None:
    networks = stage.roce_networks()
    assert len(networks) == 9
    stage.pool("a3-ultragpu-8g", networks=networks)


def test_a_roce_fabric_of_another_zone_is_refused(stage: Stage) -> None:
    with pytest.raises(CloudError, match=r"Network roce-\w+ is of zone us-central1-b; the pool is in us-central1-a"):
        stage.pool("a3-ultragpu-8g", networks=stage.roce_networks("us-central1-b"))


def test_a_roce_fabric_is_for_rdma_machines_only(stage: Stage) -> None:
    with pytest.raises(CloudError, match="Machine type a3-megagpu-8g has no RDMA interfaces"):
        stage.pool("a3-megagpu-8g", networks=stage.roce_networks()[:8])


def test_a_roce_fabric_has_one_subnetwork_for_each_gpu(stage: Stage) -> None:
    roce = stage.roce_networks()
    with pytest.raises(CloudError, match="has 8 RDMA interfaces; 7 networks are RoCE"):
        stage.pool("a3-ultragpu-8g", networks=[*roce[:8], *stage.gpu_networks(1, mtu=8896)])


@pytest.mark.parametrize(
    ("machine_type", "config", "message"),
    [
        ("a3-megagpu-8g", {"acceleratorNetworkProfile": "auto"}, "not supported on machine type a3-megagpu-8g"),
        ("a3-highgpu-8g", {"acceleratorNetworkProfile": "auto"}, "not supported on machine type a3-highgpu-8g"),
    ],
)
def test_gke_makes_networks_for_rdma_machines_only(
    stage: Stage, machine_type: str, config: dict[str, Any], message: str
) -> None:
    stage.pool("a3-ultragpu-8g", name="fine", networkConfig=config)
    with pytest.raises(CloudError, match=message):
        stage.pool(machine_type, networkConfig=config)


def test_gke_makes_all_networks_or_none(stage: Stage) -> None:
    networks = stage.roce_networks()
    config = {"acceleratorNetworkProfile": "auto", "additionalNodeNetworkConfigs": networks}
    with pytest.raises(CloudError, match="exclude each other"):
        stage.pool("a3-ultragpu-8g", networkConfig=config)


@pytest.mark.parametrize(
    ("machine_type", "config", "message"),
    [
        ("a3-ultragpu-8g", {"fastSocket": {"enabled": True}}, "Fast Socket is not compatible with GPUDirect RDMA"),
        ("a3-megagpu-8g", {"gpudirectStrategy": "RDMA"}, "RDMA is not supported on machine type a3-megagpu-8g"),
        ("a3-megagpu-8g", {"gpudirectStrategy": "TCPXO"}, "Invalid value for gpudirect_strategy: TCPXO; valid: RDMA"),
    ],
)
def test_a_strategy_that_does_not_fit_the_machine_is_refused(
    stage: Stage, machine_type: str, config: dict[str, Any], message: str
) -> None:
    with pytest.raises(CloudError, match=message):
        stage.pool(machine_type, config=config)


@pytest.mark.parametrize(
    ("machine_type", "config"),
    [("a3-megagpu-8g", {"fastSocket": {"enabled": True}}), ("a3-ultragpu-8g", {"gpudirectStrategy": "RDMA"})],
)
def test_a_strategy_that_fits_is_accepted(stage: Stage, machine_type: str, config: dict[str, Any]) -> None:
    stage.pool(machine_type, config=config)
