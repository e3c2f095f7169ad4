from __future__ import annotations

from collections.abc import Callable
from unittest import mock

import pytest

from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.live import node_events
from gpucluster.sandbox.live.nodes.fleet import manifests
from tests.sandbox.live.nodes.conftest import chart

_TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
_RAID = "localStorage:\n  strategy: RAID0\n"


def _plugins(**values: object) -> list[Entry]:
    given = {"tolerations": [_TOLERATION], **values}
    return [chart("nvidia-device-plugin", **given), chart("aws-efa-k8s-device-plugin", **given)]


def test_a_node_has_what_its_machine_its_template_and_the_plugins_of_the_stack_give(
    eks: Entry, group: Callable[..., list[Entry]]
) -> None:
    [node] = manifests([*group("p5.48xlarge", 1, user_data=_RAID, efa=32), *_plugins()], eks)
    assert node["status"]["allocatable"] == {
        "cpu": "191450m",
        "memory": "1928154Mi",
        "ephemeral-storage": "25480Gi",
        "pods": "100",
        "nvidia.com/gpu": "8",
        "hugepages-2Mi": "10256Mi",
        "vpc.amazonaws.com/efa": "32",
    }
    assert node["spec"]["taints"] == [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}]
    assert {key: value for key, value in node["metadata"]["labels"].items() if "beta" not in key} == {
        "kwok.x-k8s.io/node": "fake",
        "pool": "training",
        "eks.amazonaws.com/capacityType": "ON_DEMAND",
        "eks.amazonaws.com/nodegroup": "gpus",
        "eks.amazonaws.com/sourceLaunchTemplateId": "lt-1",
        "eks.amazonaws.com/sourceLaunchTemplateVersion": "3",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": node["metadata"]["name"],
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": "p5.48xlarge",
        "topology.k8s.aws/network-node-layer-1": "nn-f5ca2803a0c28a5a4",
        "topology.k8s.aws/network-node-layer-2": "nn-7e59f34a94cea4bef",
        "topology.k8s.aws/network-node-layer-3": "nn-0b1378b5a54c22b5a",
        "topology.k8s.aws/zone-id": "use1-az1",
        "topology.kubernetes.io/region": "us-east-1",
        "topology.kubernetes.io/zone": "us-east-1a",
    }


@pytest.mark.parametrize("plugins", [[], _plugins(tolerations=[]), _plugins(nodeSelector={"pool": "other"})])
def test_a_node_that_no_plugin_comes_to_has_no_devices(
    eks: Entry, group: Callable[..., list[Entry]], plugins: list[Entry]
) -> None:
    [node] = manifests([*group("p5.48xlarge", 1, efa=32), *plugins], eks)
    found = {*node["status"]["allocatable"]}
    assert found == {"cpu", "memory", "ephemeral-storage", "pods", "hugepages-2Mi"}


@pytest.mark.parametrize(("tolerated", "left"), [({"operator": "Exists"}, ("8", "32")), (_TOLERATION, ("0", "0"))])
def test_a_broken_machine_that_restarts_has_the_devices_whose_plugins_its_taint_does_not_evict(
    eks: Entry, group: Callable[..., list[Entry]], tolerated: dict[str, str], left: tuple[str, str]
) -> None:
    entries = [*group("p5.48xlarge", 1, efa=32), *_plugins(tolerations=[tolerated])]
    [node] = manifests([*group("p5.48xlarge", 1, efa=32), *_plugins()], eks)
    node["spec"]["taints"].append({"key": "gpucluster/broken", "value": "a-boot", "effect": "NoExecute"})
    server = mock.Mock()
    node_events.repair(server, node, eks, entries)
    devices = server.patch.call_args_list[0].args[1]["status"]["allocatable"]
    assert (devices["nvidia.com/gpu"], devices["vpc.amazonaws.com/efa"]) == left


@pytest.mark.parametrize(
    ("strategy", "gpus"),
    [
        ("mixed", {"nvidia.com/mig-3g.40gb": "1", "nvidia.com/mig-2g.20gb": "2"}),
        ("single", {"nvidia.com/gpu": "3"}),
        (None, {"nvidia.com/gpu": "1"}),
    ],
)
def test_slices_are_those_that_the_machine_cuts_itself_as_the_plugin_shows_them(
    eks: Entry, group: Callable[..., list[Entry]], strategy: str | None, gpus: dict[str, str]
) -> None:
    cut = "nvidia-smi mig -lgi || nvidia-smi mig -cgi 3g.40gb,2g.20gb,2g.20gb -C\n"
    made = [*group("p5.4xlarge", 1, user_data=cut), *_plugins(**({"migStrategy": strategy} if strategy else {}))]
    [node] = manifests(made, eks)
    assert {key: value for key, value in node["status"]["capacity"].items() if "nvidia" in key} == gpus


def test_machines_stand_under_two_leaf_switches_in_turn(eks: Entry, group: Callable[..., list[Entry]]) -> None:
    labels = [node["metadata"]["labels"] for node in manifests(group("p5.48xlarge", 4), eks)]
    leaves = [found["topology.k8s.aws/network-node-layer-3"] for found in labels]
    assert leaves == [leaves[0], leaves[1]] * 2
    assert leaves[0] != leaves[1]
    assert len({found["topology.k8s.aws/network-node-layer-2"] for found in labels}) == 1


def test_a_machine_with_one_gpu_tells_no_place(eks: Entry, group: Callable[..., list[Entry]]) -> None:
    [node] = manifests(group("p5.4xlarge", 1), eks)
    assert [key for key in node["metadata"]["labels"] if "network-node" in key] == []
