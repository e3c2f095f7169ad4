"""Kueue's rules for its objects, before a cluster exists to apply them."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.components.kubernetes.kueue import (
    AdmissionCheck,
    ClusterQueue,
    LocalQueue,
    ProvisioningRequestConfig,
    ResourceFlavor,
    Topology,
    WorkloadPriorityClass,
)
from gpucluster.components.kubernetes.objects import Spec, check
from gpucluster.components.plan import PlanError


def group(*quotas: tuple[str, str], flavor: str = "a", covered: list[str] | None = None) -> dict[str, Any]:
    resources = [{"name": name, "nominalQuota": quota} for name, quota in quotas]
    named = covered or [name for name, _ in quotas]
    return {"coveredResources": named, "flavors": [{"name": flavor, "resources": resources}]}


def queue(*groups: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"namespaceSelector": {}, "resourceGroups": list(groups), **more}


def checks(*flavors: str) -> dict[str, Any]:
    return {"admissionChecks": [{"name": "c", "onFlavors": list(flavors)}]}


def problems(kind: type[Spec], spec: dict[str, Any]) -> list[str]:
    try:
        check(kind, spec, "it", at="spec")
    except PlanError as error:
        return [problem.removeprefix("it: ") for problem in map(str, error.problems)]
    return []


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        (ResourceFlavor, {}),
        (ResourceFlavor, {"nodeLabels": {"a": "b"}, "topologyName": "racks"}),
        (ClusterQueue, queue(group(("cpu", "9"), ("memory", "36Gi")), group(("nvidia.com/gpu", "0"), flavor="b"))),
        (ClusterQueue, queue(group(("cpu", "9")), admissionChecksStrategy=checks("a"), stopPolicy="Hold")),
        (ClusterQueue, queue(group(("cpu", "9")), admissionChecksStrategy=checks())),
        (AdmissionCheck, {"controllerName": "kueue.x-k8s.io/provisioning-request"}),
        (
            ProvisioningRequestConfig,
            {
                "provisioningClassName": "queued-provisioning.gke.io",
                "retryStrategy": {"backoffLimitCount": 0},
                "parameters": {"maxRunDurationSeconds": "600"},
            },
        ),
        (LocalQueue, {"clusterQueue": "a", "stopPolicy": "None"}),
    ],
)
def test_what_kueue_takes_is_taken(kind: type[Spec], spec: dict[str, Any]) -> None:
    assert problems(kind, spec) == []


@pytest.mark.parametrize(
    ("kind", "spec", "said"),
    [
        (
            ResourceFlavor,
            {"topologyName": "racks"},
            ["spec has topologyName 'racks' and no nodeLabels; allowed with it: at least one label; add it"],
        ),
        (
            ResourceFlavor,
            {"tolerations": []},
            ["spec.tolerations is not a field; allowed: nodeLabels, topologyName; remove it"],
        ),
        (
            ClusterQueue,
            queue(group(("memory", "1Gi"), ("cpu", "1"), covered=["cpu", "memory"])),
            [
                "spec.resourceGroups[0] has quotas for memory, cpu of the flavor a; allowed: those of "
                "coveredResources in their order, cpu, memory; write these"
            ],
        ),
        (
            ClusterQueue,
            queue(group(("cpu", "1")), group(("cpu", "2")), admissionChecksStrategy=checks("b")),
            [
                "spec has the flavor a twice; allowed: each flavor once; remove all but one",
                "spec has the resource cpu twice; allowed: each resource once; remove all but one",
                "spec has onFlavors b of the check c; allowed: flavors of the queue, a, a; write one of these",
            ],
        ),
        (
            ClusterQueue,
            queue(group(("cpu", "-1"))),
            ["spec.resourceGroups[0].flavors[0].resources[0].nominalQuota is '-1'; allowed: 0 or more; raise it"],
        ),
        (
            ProvisioningRequestConfig,
            {"provisioningClassName": "Best_Effort"},
            [
                "spec.provisioningClassName is 'Best_Effort'; allowed: 1 to 253 lower-case letters, digits, dots and "
                "hyphens, with a letter or digit at both ends; change it"
            ],
        ),
        (
            ProvisioningRequestConfig,
            {"provisioningClassName": "a", "retryStrategy": {"backoffBaseSeconds": -1}},
            [
                "spec.retryStrategy.backoffBaseSeconds is -1; allowed: seconds, 0 or more; change it, as in 60",
            ],
        ),
        (
            AdmissionCheck,
            {"controllerName": "", "parameters": {"apiGroup": "kueue.x-k8s.io", "kind": "K", "name": "a.b"}},
            [
                "spec.controllerName is ''; allowed: 1 to 253 characters; change it, as in "
                "kueue.x-k8s.io/provisioning-request",
                "spec.parameters.name is 'a.b'; allowed: 1 to 63 lower-case letters, digits and hyphens, with a "
                "letter or digit at both ends; change it",
            ],
        ),
    ],
)
def test_what_kueue_refuses_is_refused(kind: type[Spec], spec: dict[str, Any], said: list[str]) -> None:
    assert problems(kind, spec) == said


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"levels": [{"nodeLabel": "block"}, {"nodeLabel": "kubernetes.io/hostname"}]}, []),
        (
            {"levels": [{"nodeLabel": "block"}, {"nodeLabel": "block"}]},
            ["spec has the level block twice; allowed: each level once; remove one"],
        ),
        (
            {"levels": [{"nodeLabel": "kubernetes.io/hostname"}, {"nodeLabel": "block"}]},
            ["spec has kubernetes.io/hostname before block; allowed: as the last level; move it"],
        ),
    ],
)
def test_a_topology_goes_from_wide_to_the_host(spec: dict[str, Any], said: list[str]) -> None:
    assert problems(Topology, spec) == said


def test_a_priority_is_a_number_of_32_bits() -> None:
    assert problems(WorkloadPriorityClass, {"value": 500}) == []
    assert problems(WorkloadPriorityClass, {"value": 2**31}) == [
        "spec.value is 2147483648; allowed: a whole number of 32 bits; change it, as in 500"
    ]
