from __future__ import annotations

from collections.abc import Callable

import pytest

from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.live.nodes.fleet import manifests
from tests.sandbox.live.nodes.conftest import SCOPE, chart, managed

_TOLERATIONS = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]


@pytest.fixture
def operators(monkeypatch: pytest.MonkeyPatch) -> list[Entry]:
    """NVIDIA's two, in the cluster by the address that AKS gives it."""
    monkeypatch.setattr("tests.sandbox.live.nodes.conftest.SCOPE", f"{SCOPE}:443")
    policy = {"sriovDevicePlugin": {"config": "{}"}, "tolerations": _TOLERATIONS}
    rule = {"rules": [{"labels": {"feature/infiniband": "true"}}]}
    return [
        chart("gpu-operator", daemonsets={"tolerations": _TOLERATIONS}, mig={"strategy": "single"}),
        managed("NicClusterPolicy", "nic-cluster-policy", spec=policy),
        managed("NodeFeatureRule", "rule", spec=rule),
    ]


def test_a_node_has_the_devices_of_nvidias_operators_and_the_labels_of_aks(
    aks: Entry, agent_pool: Callable[..., Entry], operators: list[Entry]
) -> None:
    system, node = manifests([agent_pool("Standard_ND96isr_H100_v5", 1), *operators], aks)
    assert node["metadata"]["name"][:9] == "aks-gpus-"
    assert node["metadata"]["name"][-10:] == "vmss000000"
    assert node["status"]["allocatable"] == {
        "cpu": "95260m",
        "memory": "1794764Mi",
        "ephemeral-storage": "900Gi",
        "pods": "250",
        "nvidia.com/gpu": "8",
        "rdma/ib": "8",
    }
    assert node["metadata"]["labels"]["feature/infiniband"] == "true"
    assert node["metadata"]["labels"]["kubernetes.azure.com/accelerator"] == "nvidia"
    assert {*system["status"]["allocatable"]} == {"cpu", "memory", "ephemeral-storage", "pods"}
    assert system["metadata"]["labels"]["kubernetes.azure.com/mode"] == "system"


def test_spot_machines_have_the_label_and_the_taint_that_aks_gives_them(
    aks: Entry, agent_pool: Callable[..., Entry]
) -> None:
    node = manifests([agent_pool("Standard_NC40ads_H100_v5", 1, scaleSetPriority="Spot")], aks)[-1]
    assert node["metadata"]["labels"]["kubernetes.azure.com/scalesetpriority"] == "spot"
    assert node["spec"]["taints"][-1] == {
        "key": "kubernetes.azure.com/scalesetpriority",
        "value": "spot",
        "effect": "NoSchedule",
    }


@pytest.mark.parametrize(
    ("pool", "gpus"),
    [
        ({"gpuInstanceProfile": "MIG3g"}, "4"),
        ({"nodeLabels": {"nvidia.com/mig.config": "all-1g.12gb"}}, "14"),
        ({"nodeLabels": {"nvidia.com/mig.config": "own"}}, "6"),
        ({}, "2"),
    ],
    ids=["by AKS", "by the MIG manager", "by a layout of the stack's own", "not at all"],
)
def test_a_node_offers_the_gpus_or_slices_of_its_pool(
    aks: Entry, agent_pool: Callable[..., Entry], operators: list[Entry], pool: dict[str, object], gpus: str
) -> None:
    own = '{"mig-configs": {"own": [{"mig-devices": {"2g.24gb": 3}}]}}'
    layouts = managed("ConfigMap", "layouts", data={"config.yaml": own})
    node = manifests([agent_pool("Standard_NC80adis_H100_v5", 1, **pool), layouts, *operators], aks)[-1]
    assert node["status"]["capacity"]["nvidia.com/gpu"] == gpus


def test_a_label_that_queues_go_by_and_aks_does_not_set_is_set_on_infiniband_machines(
    aks: Entry, agent_pool: Callable[..., Entry], operators: list[Entry]
) -> None:
    levels = [{"nodeLabel": "ib/torset"}, {"nodeLabel": "kubernetes.io/hostname"}]
    topology = managed("Topology", "training", spec={"levels": levels})
    system, *nodes = manifests([agent_pool("Standard_ND96isr_H100_v5", 3), topology, *operators], aks)
    assert [node["metadata"]["labels"]["ib/torset"] for node in nodes] == ["leaf-0", "leaf-1", "leaf-0"]
    assert "ib/torset" not in system["metadata"]["labels"]
