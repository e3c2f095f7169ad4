from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.live.nodes.fleet import manifests
from tests.sandbox.live.nodes.conftest import managed

_GPUS: dict[str, Any] = {
    "type": "nvidia-h100-mega-80gb",
    "count": 8,
    "gpuDriverInstallationConfig": {"gpuDriverVersion": "DEFAULT"},
}


def _labels(node: dict[str, Any]) -> dict[str, str]:
    return {key: value for key, value in node["metadata"]["labels"].items() if key.startswith("cloud.google.com/")}


def test_a_node_has_gkes_own_labels_its_networks_and_what_gke_leaves_of_it(
    gke: Entry, node_pool: Callable[..., Entry]
) -> None:
    pool = node_pool(
        "a3-megagpu-8g",
        1,
        placementPolicy={"type": "COMPACT"},
        networkConfig={"additionalNodeNetworkConfigs": [{"network": "n", "subnetwork": "gpu-0"}]},
        config={"guestAccelerators": [_GPUS], "ephemeralStorageLocalSsdConfig": {"localSsdCount": 16}},
    )
    network = managed("GKENetworkParamSet", "vpc1", spec={"vpcSubnet": "gpu-0"})
    [node] = manifests([pool, network], gke)
    assert node["metadata"]["name"].startswith("gke-one-gpus-0123abcd-")
    assert node["status"]["allocatable"] == {
        "cpu": "207410m",
        "memory": "1737383Mi",
        "ephemeral-storage": "5399Gi",
        "pods": "32",
        "nvidia.com/gpu": "8",
        "networking.gke.io.networks/vpc1": "1",
    }
    assert [*_labels(node)] == [
        "cloud.google.com/gke-nodepool",
        "cloud.google.com/machine-family",
        "cloud.google.com/gke-boot-disk",
        "cloud.google.com/gke-container-runtime",
        "cloud.google.com/gke-os-distribution",
        "cloud.google.com/gke-max-pods-per-node",
        "cloud.google.com/gke-provisioning",
        "cloud.google.com/gke-ephemeral-storage-local-ssd",
        "cloud.google.com/gke-accelerator",
        "cloud.google.com/gce-topology-block",
        "cloud.google.com/gce-topology-subblock",
        "cloud.google.com/gce-topology-host",
    ]
    assert _labels(node)["cloud.google.com/machine-family"] == "a3"


@pytest.mark.parametrize(("partition", "gpus"), [("1g.10gb", "7"), ("3g.40gb", "2"), (None, "1")])
def test_slices_go_by_the_name_of_a_gpu(
    gke: Entry, node_pool: Callable[..., Entry], partition: str | None, gpus: str
) -> None:
    accelerator = {**_GPUS, "type": "nvidia-h100-80gb", "count": 1, "gpuPartitionSize": partition}
    [node] = manifests([node_pool("a3-highgpu-1g", 1, config={"guestAccelerators": [accelerator]})], gke)
    assert node["status"]["capacity"]["nvidia.com/gpu"] == gpus
    assert _labels(node).get("cloud.google.com/gke-gpu-partition-size") == partition


def test_a_pool_counts_its_nodes_in_each_zone(gke: Entry, node_pool: Callable[..., Entry]) -> None:
    nodes = manifests([node_pool("e2-standard-4", 2, zones=3)], gke)
    zones = [node["metadata"]["labels"]["topology.kubernetes.io/zone"] for node in nodes]
    assert zones == ["r-a", "r-b", "r-c"] * 2
    assert len({node["metadata"]["name"] for node in nodes}) == 6


def test_machines_that_are_not_placed_tell_no_place(gke: Entry, node_pool: Callable[..., Entry]) -> None:
    [node] = manifests([node_pool("a3-megagpu-8g", 1)], gke)
    assert [key for key in _labels(node) if "gce-topology" in key] == []


def test_a_node_is_named_by_its_instance_group_or_as_that_would_be(gke: Entry, node_pool: Callable[..., Entry]) -> None:
    pool = node_pool("a3-highgpu-8g", 1)
    [node] = manifests([pool], gke)
    assert re.fullmatch(r"gke-one-gpus-0123abcd-[0-9a-f]{4}", node["metadata"]["name"])
    [other] = manifests([replace(pool, outputs={**pool.outputs, "instanceGroupUrls": []})], gke)
    assert re.fullmatch(rf"gke-{pool.name}-[0-9a-f]{{8}}-[0-9a-f]{{4}}", other["metadata"]["name"])
