"""The Network Operator's rules for its policy, and the two by which InfiniBand works on Azure's machines."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.components.azure.nic_cluster_policy import NicClusterPolicy
from gpucluster.components.kubernetes.objects import Part

Refused = Callable[[type[Part], dict[str, Any]], list[str]]

IMAGE = {"repository": "nvcr.io/nvidia/mellanox", "image": "doca-driver", "version": "v1"}
PROBE = {"initialDelaySeconds": 10, "periodSeconds": 20}
DRAIN = {"enable": True, "force": True, "deleteEmptyDir": True, "timeoutSeconds": 300}
UPGRADE = {"autoUpgrade": True, "maxParallelUpgrades": 1, "drain": DRAIN}
TERM = {"matchExpressions": [{"key": "ib", "operator": "In", "values": ["true"]}]}


def config(**selectors: Any) -> str:
    right = {"vendors": ["15b3"], "linkTypes": ["infiniband"], "isRdma": True}
    return json.dumps({"resourceList": [{"resourceName": "ib", "selectors": {**right, **selectors}}]})


SPEC: dict[str, Any] = {
    "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [TERM]}},
    "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    "ofedDriver": {
        **IMAGE,
        "forcePrecompiled": False,
        "upgradePolicy": UPGRADE,
        "startupProbe": PROBE,
        "livenessProbe": PROBE,
        "readinessProbe": PROBE,
    },
    "sriovDevicePlugin": {**IMAGE, "config": config()},
}


def driver(**changes: Any) -> dict[str, Any]:
    return {**SPEC, "ofedDriver": {**SPEC["ofedDriver"], **changes}}


def plugin(text: str) -> dict[str, Any]:
    return {**SPEC, "sriovDevicePlugin": {**IMAGE, "config": text}}


@pytest.mark.parametrize("spec", [SPEC, driver(env=[{"name": "A", "value": "b"}])])
def test_what_the_operator_takes_is_taken(refused: Refused, spec: dict[str, Any]) -> None:
    assert refused(NicClusterPolicy, spec) == []


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({key: value for key, value in SPEC.items() if key != "nodeAffinity"}, "spec.nodeAffinity is missing; allowed"),
        (
            {key: value for key, value in SPEC.items() if key != "sriovDevicePlugin"},
            "spec.sriovDevicePlugin is missing",
        ),
        (
            {key: value for key, value in SPEC.items() if key != "tolerations"},
            "spec.tolerations is missing; allowed: a ",
        ),
        (
            driver(repository="https://nvcr.io"),
            "spec.ofedDriver.repository is 'https://nvcr.io'; allowed: a registry and a path: letters, digits, -, . "
            "and /; change it",
        ),
        (driver(version=""), "spec.ofedDriver.version is ''; allowed: text that is not empty; change it"),
        (
            driver(upgradePolicy={**UPGRADE, "maxParallelUpgrades": 0}),
            "spec.ofedDriver.upgradePolicy.maxParallelUpgrades is 0; allowed: 1 or more nodes: 0 would be all at once; "
            "change it, as in 1",
        ),
        (
            driver(upgradePolicy={**UPGRADE, "drain": {**DRAIN, "timeoutSeconds": -1}}),
            "spec.ofedDriver.upgradePolicy.drain.timeoutSeconds is -1; allowed: 0 or more seconds; change it, as in "
            "300",
        ),
        (
            driver(startupProbe={**PROBE, "periodSeconds": 0}),
            "spec.ofedDriver.startupProbe.periodSeconds is 0; allowed: 1 or more seconds; change it, as in 30",
        ),
        (plugin("{"), "spec.sriovDevicePlugin.config is no JSON; allowed: JSON with a resourceList; correct it"),
        (plugin("[]"), "spec.sriovDevicePlugin.config has no resourceList; allowed: at least one resource; add it"),
        (plugin('{"resourceList": []}'), "spec.sriovDevicePlugin.config has no resourceList; allowed: at least one"),
        (
            plugin(config(linkTypes=["ether"])),
            "spec.sriovDevicePlugin.config has resourceList[0].selectors.linkTypes ['ether']; allowed: ['infiniband']; "
            "write that, or pods get the Ethernet interface",
        ),
        (
            plugin(config(isRdma=False)),
            "spec.sriovDevicePlugin.config has resourceList[0].selectors.isRdma False; allowed: true; write true, or "
            "pods get no /dev/infiniband",
        ),
        (
            plugin(config().replace('"ib"', '"i-b"')),
            "spec.sriovDevicePlugin.config has resourceList[0].resourceName 'i-b'; allowed: letters, digits and _; "
            "change it",
        ),
    ],
)
def test_what_would_not_work_is_refused(refused: Refused, spec: dict[str, Any], expected: str) -> None:
    [problem] = refused(NicClusterPolicy, spec)
    assert problem.startswith(expected)


def test_the_operator_obeys_a_policy_of_one_name_only() -> None:
    assert NicClusterPolicy.name_problem("nic-cluster-policy") is None
    assert NicClusterPolicy.name_problem("other") == "nic-cluster-policy"
