"""The two operators and their objects, typed from the guide to InfiniBand on AKS and the charts' own values."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from gpucluster.catalog.fabric_releases import release_of
from gpucluster.catalog.machines import machines
from gpucluster.components.azure.gpu_software import NO_MIG, GpuSoftware, mig_node_labels
from gpucluster.components.azure.gpu_versions import GPU_DRIVER, VERSIONS
from gpucluster.components.kubernetes.telemetry.counters import counters_csv
from gpucluster.components.labelling import labelled_objects

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]

ADDONS = {"key": "CriticalAddonsOnly", "operator": "Exists"}
EVERYWHERE = [
    ADDONS,
    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
    {
        "key": "kubernetes.azure.com/scalesetpriority",
        "operator": "Equal",
        "value": "spot",
        "effect": "NoSchedule",
    },
]
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


def gpu_values(registered: Run, **more: Any) -> dict[str, Any]:
    return declared(registered, **more)["software-gpu"][1]["values"]


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


def custom(version: str, kind: str, name: str, spec: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    metadata = {"name": name, "labels": {"team": "ml"}}
    return f"{version}:{kind}", {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


def test_all_that_makes_gpus_and_infiniband_usable_in_its_order(registered: Run) -> None:
    found = declared(registered)
    config = json.loads(found["software-network-policy"][1]["spec"]["sriovDevicePlugin"].pop("config"))
    assert config == {
        "resourceList": [
            {
                "resourcePrefix": "rdma",
                "resourceName": "ib",
                "selectors": {"vendors": ["15b3"], "linkTypes": ["infiniband"], "isRdma": True},
            }
        ]
    }
    assert found == {
        "software-network-namespace": namespace("network-operator"),
        "software-gpu-namespace": namespace("gpu-operator"),
        "software-network": chart(
            "network-operator",
            "26.4.0",
            {
                "nfd": {"deployNodeFeatureRules": False},
                "node-feature-discovery": DISCOVERY,
                "operator": {"tolerations": [ADDONS]},
            },
        ),
        "software-network-nodes": custom(
            "nfd.k8s-sigs.io/v1alpha1",
            "NodeFeatureRule",
            "nfd-network-rule",
            {
                "rules": [
                    {
                        "name": "nfd-network-rule",
                        "labels": {"feature.node.kubernetes.io/pci-15b3.present": "true"},
                        "matchFeatures": [
                            {
                                "feature": "pci.device",
                                "matchExpressions": {"device": {"op": "In", "value": ["101c", "101e"]}},
                            }
                        ],
                    }
                ]
            },
        ),
        "software-network-policy": custom(
            "mellanox.com/v1alpha1",
            "NicClusterPolicy",
            "nic-cluster-policy",
            {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "nodeSelectorTerms": [
                            {
                                "matchExpressions": [
                                    {
                                        "key": "feature.node.kubernetes.io/pci-15b3.present",
                                        "operator": "In",
                                        "values": ["true"],
                                    }
                                ]
                            }
                        ]
                    }
                },
                "tolerations": EVERYWHERE,
                "ofedDriver": {
                    "repository": "nvcr.io/nvidia/mellanox",
                    "image": "doca-driver",
                    "version": "doca3.4.0-26.04-0.8.6.0-0",
                    "env": [
                        {
                            "name": "OFED_BLACKLIST_MODULES_FILE",
                            "value": "/host/etc/modprobe.d/blacklist-ofed-modules.conf",
                        }
                    ],
                    "forcePrecompiled": False,
                    "upgradePolicy": {
                        "autoUpgrade": True,
                        "maxParallelUpgrades": 1,
                        "drain": {"enable": True, "force": True, "deleteEmptyDir": True, "timeoutSeconds": 300},
                    },
                    "startupProbe": {"initialDelaySeconds": 10, "periodSeconds": 20},
                    "livenessProbe": {"initialDelaySeconds": 30, "periodSeconds": 30},
                    "readinessProbe": {"initialDelaySeconds": 10, "periodSeconds": 30},
                },
                "sriovDevicePlugin": {
                    "repository": "nvcr.io/nvidia/mellanox",
                    "image": "sriov-network-device-plugin",
                    "version": "network-operator-v26.4.0",
                },
            },
        ),
        "software-gpu": chart(
            "gpu-operator",
            "v26.3.3",
            {
                "nfd": {"enabled": False},
                "operator": {"tolerations": [ADDONS]},
                "daemonsets": {"tolerations": EVERYWHERE},
                "driver": {"enabled": True, "rdma": {"enabled": True, "useHostMofed": False}},
                "toolkit": {"enabled": True},
                "dcgmExporter": {"config": {"name": COUNTERS}, "serviceMonitor": {"enabled": False}},
                "mig": {"strategy": "single"},
                "migManager": {"enabled": False},
            },
        ),
        "software-gpu-counters": (
            "core/v1:ConfigMap",
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": COUNTERS, "namespace": "gpu-operator", "labels": {"team": "ml"}},
                "data": {"dcgm-metrics.csv": counters_csv()},
            },
        ),
    }
    order = list(found)
    chain = ["software-network", "software-network-nodes", "software-network-policy", "software-gpu"]
    assert order.index("software-gpu-counters") < order.index("software-gpu")
    assert sorted(chain, key=order.index) == chain


def test_a_driver_of_aks_leaves_the_operator_neither_driver_nor_toolkit(registered: Run) -> None:
    values = gpu_values(registered, owner="aks")
    assert values["driver"] == {"enabled": False}
    assert values["toolkit"] == {"enabled": False}
    assert values["operator"] == {"runtimeClass": "nvidia-container-runtime", "tolerations": [ADDONS]}


def test_without_infiniband_the_gpu_operator_brings_discovery_and_looks_for_no_cards(registered: Run) -> None:
    found = declared(registered, infiniband=False)
    assert set(found) == {"software-gpu-namespace", "software-gpu-counters", "software-gpu"}
    values = found["software-gpu"][1]["values"]
    assert values["nfd"] == {"enabled": True}
    assert values["node-feature-discovery"] == DISCOVERY
    assert values["driver"] == {"enabled": True}


@pytest.mark.parametrize("strategy", ["single", "mixed"])
def test_the_mig_manager_comes_with_sliced_gpus_whose_driver_is_the_operators(registered: Run, strategy: str) -> None:
    ours, theirs = (gpu_values(registered, owner=owner, mig=strategy) for owner in ("operators", "aks"))
    assert ours["mig"] == theirs["mig"] == {"strategy": strategy}
    assert (ours["migManager"], theirs["migManager"]) == ({"enabled": True}, {"enabled": False})


def test_a_layout_that_the_mig_manager_does_not_know_is_written_down_for_it(registered: Run) -> None:
    found = declared(registered, mig="mixed", mig_layout=("1x4g.47gb-1x3g.47gb", {"4g.47gb": 1, "3g.47gb": 1}))
    assert found["software-gpu"][1]["values"]["migManager"] == {
        "enabled": True,
        "config": {"name": "mig-layouts", "default": "all-disabled"},
    }
    layouts = found["software-gpu-layouts"][1]
    assert (layouts["metadata"]["name"], layouts["metadata"]["namespace"]) == ("mig-layouts", "gpu-operator")
    assert yaml.safe_load(layouts["data"]["config.yaml"]) == {
        "version": "v1",
        "mig-configs": {
            "all-disabled": [{"devices": "all", "mig-enabled": False}],
            "1x4g.47gb-1x3g.47gb": [
                {"devices": "all", "mig-enabled": True, "mig-devices": {"4g.47gb": 1, "3g.47gb": 1}}
            ],
        },
    }


def test_nodes_say_how_they_are_sliced_or_that_they_are_not() -> None:
    assert mig_node_labels("all-1g.10gb") == {"nvidia.com/mig.config": "all-1g.10gb"}
    assert NO_MIG == {"nvidia.com/gpu.deploy.mig-manager": "false"}


@pytest.mark.parametrize("machine", ["Standard_ND96isr_H100_v5", "Standard_ND96isr_H200_v5", "Standard_ND96asr_v4"])
def test_the_operators_driver_is_one_that_the_fabric_takes(machine: str) -> None:
    assert VERSIONS["gpu_operator"] == "v26.3.3"  # another one brings another driver
    assert release_of(machines()[machine]).driven_by(GPU_DRIVER)


def test_the_versions_are_those_that_were_released_together() -> None:
    """Mellanox/network-operator v26.4.0, hack/release.yaml; Azure/aks-rdma-infiniband 700dabb, deploy-aks.sh."""
    assert VERSIONS == {
        "network_operator": "26.4.0",
        "doca_driver": "doca3.4.0-26.04-0.8.6.0-0",
        "device_plugin": "network-operator-v26.4.0",
        "gpu_operator": "v26.3.3",
    }
