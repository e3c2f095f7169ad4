"""The two operators and their objects, typed from the guide to InfiniBand on AKS and the charts' own values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.components.azure.pools.gpu_software import VERSIONS, GpuSoftware
from gpucluster.components.resources.label_transformation import labelled_objects
from gpucluster.core.catalog.fabrics import release_of
from gpucluster.core.catalog.machines import machines

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]

ADDONS = {"key": "CriticalAddonsOnly", "operator": "Exists"}
EVERYWHERE = [{"operator": "Exists"}]
DISCOVERY = {
    "master": {"tolerations": [ADDONS]},
    "gc": {"tolerations": [ADDONS]},
    "worker": {"tolerations": EVERYWHERE},
}


# The digest of the list of counters: another list is another name, by which the operator starts its exporter anew.
COUNTERS = "gpu-counters-0b595f8d"


def declared(registered: Run, **more: Any) -> dict[str, tuple[str, dict[str, Any]]]:
    asked: dict[str, Any] = {"owner": "operators", **more}
    found = registered(lambda: GpuSoftware("software", **asked, after=[], opts=labelled_objects({"team": "ml"}, None)))
    return {name: (type_.removeprefix("kubernetes:"), inputs) for type_, name, inputs in found}


def namespace(name: str) -> tuple[str, dict[str, Any]]:
    labels = {"team": "ml", "pod-security.kubernetes.io/enforce": "privileged"}
    return "core/v1:Namespace", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def chart(name: str, version: str, values: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return "helm.sh/v3:Release", {
        "name": name,
        "chart": name,
        "version": version,
        "repositoryOpts": {"repo": "https://helm.ngc.nvidia.com/nvidia"},
        "namespace": name,
        "values": values,
        "skipCrds": False,
        "atomic": True,
        "timeout": 600,
        "compat": "true",
    }


def test_without_infiniband_the_gpu_operator_brings_discovery_and_looks_for_no_cards(registered: Run) -> None:
    found = declared(registered, infiniband=False)
    assert set(found) == {"software-gpu-namespace", "software-gpu-counters", "software-gpu"}
    values = found["software-gpu"][1]["values"]
    assert values["nfd"] == {"enabled": True}
    assert values["node-feature-discovery"] == DISCOVERY
    assert values["driver"] == {"enabled": True}


@pytest.mark.parametrize("machine", ["Standard_ND96isr_H100_v5", "Standard_ND96isr_H200_v5", "Standard_ND96asr_v4"])
def test_the_operators_driver_is_one_that_the_fabric_takes(machine: str) -> None:
    """The driver: NVIDIA/gpu-operator v26.3.3, deployments/gpu-operator/values.yaml."""
    assert VERSIONS["gpu_operator"] == "v26.3.3"  # another one brings another driver
    assert release_of(machines()[machine]).driven_by("580.126.20")


def test_the_versions_are_those_that_were_released_together() -> None:
    """Mellanox/network-operator v26.4.0, hack/release.yaml; Azure/aks-rdma-infiniband 700dabb, deploy-aks.sh."""
    assert VERSIONS == {
        "network_operator": "26.4.0",
        "doca_driver": "doca3.4.0-26.04-0.8.6.0-0",
        "device_plugin": "network-operator-v26.4.0",
        "gpu_operator": "v26.3.3",
    }
