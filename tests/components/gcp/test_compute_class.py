"""GKE's rules for a ComputeClass, before a cluster exists to apply them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.components.gcp.compute_class import ComputeClass
from gpucluster.components.kubernetes.objects import Spec

Refused = Callable[[type[Spec], dict[str, Any]], list[str]]

SPOT: dict[str, Any] = {
    "machineType": "a3-highgpu-1g",
    "gpu": {"type": "nvidia-h100-80gb", "count": 1, "driverVersion": "default"},
    "spot": True,
    "location": {"zones": ["us-central1-a"]},
}
FLEX: dict[str, Any] = {
    "machineType": "a3-highgpu-1g",
    "flexStart": {"enabled": True},
    "maxRunDurationSeconds": 604_800,
}
SPEC: dict[str, Any] = {
    "priorities": [{"nodepools": ["elastic"]}, SPOT, FLEX],
    "nodePoolAutoCreation": {"enabled": True},
    "activeMigration": {"optimizeRulePriority": False},
    "autoscalingPolicy": {"consolidationDelayMinutes": 5, "gpuConsolidationThreshold": 1},
    "whenUnsatisfiable": "DoNotScaleUp",
}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"priorities": [{"nodepools": ["elastic"]}], "nodePoolAutoCreation": {"enabled": False}},
        {"priorities": [{"machineType": "a3-highgpu-8g", "spot": False}]},
        {"priorities": [{**FLEX, "flexStart": {"enabled": True, "nodeRecycling": {"leadTimeSeconds": 3600}}}]},
        {"priorities": [{**SPOT, "maxPodsPerNode": 8, "storage": {"bootDiskSize": 10, "bootDiskType": "pd-balanced"}}]},
        {"nodePoolConfig": {"imageType": "cos_containerd", "nodeLabels": {"team": "ml"}, "serviceAccount": "a"}},
        {"nodePoolConfig": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}], "ipType": "private"}},
        {"autoscalingPolicy": {"consolidationDelayMinutes": 1440}},
    ],
)
def test_what_gke_takes_is_taken(refused: Refused, more: dict[str, Any]) -> None:
    assert refused(ComputeClass, {**SPEC, **more}) == []


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (
            {"priorities": [{"nodepools": ["elastic"], "spot": True}]},
            "spec.priorities[0] has nodepools and spot; allowed: nodepools alone; move the others to a rule of their "
            "own",
        ),
        ({"priorities": [{}]}, "spec.priorities[0] is empty; allowed: nodepools, or a machine; add one"),
        ({"priorities": []}, "spec.priorities is a list; allowed: 1 to 1000 rules; change it"),
        (
            {"priorities": [{**FLEX, "spot": True}]},
            "spec.priorities[0] has spot and flexStart; allowed: one of them; remove one",
        ),
        (
            {"priorities": [{"machineType": "a3-highgpu-4g", "spot": False}]},
            "spec.priorities[0] has machineType 'a3-highgpu-4g' on demand; allowed for it: spot or flexStart; add "
            "one of them",
        ),
        (
            {"priorities": [{**FLEX, "maxRunDurationSeconds": 604_801}]},
            "spec.priorities[0] has maxRunDurationSeconds 604801; allowed with flexStart: 1 to 604800; change it",
        ),
        (
            {"priorities": [{**SPOT, "maxPodsPerNode": 7}]},
            "spec.priorities[0].maxPodsPerNode is 7; allowed: 8 to 256; change it, as in 32",
        ),
        (
            {"priorities": [{**SPOT, "gpu": {"type": "nvidia-h100-80gb", "count": 0}}]},
            "spec.priorities[0].gpu.count is 0; allowed: 1 or more; change it, as in 1",
        ),
        (
            {"priorities": [{**SPOT, "gpu": {"type": "t", "count": 1, "driverVersion": "lates"}}]},
            "spec.priorities[0].gpu.driverVersion is 'lates'; allowed: default, latest, autoinstall-disabled; write "
            "latest",
        ),
        (
            {"priorities": [{**SPOT, "zones": ["us-central1-a"]}]},
            "spec.priorities[0].zones is not a field; allowed: flexStart, gpu, location, machineType, maxPodsPerNode, "
            "maxRunDurationSeconds, nodepools, spot, storage; move it to spec.priorities.location.zones",
        ),
        (
            {"nodePoolAutoCreation": {"enabled": False}},
            "spec has rules with machineType and no nodePoolAutoCreation; allowed: such rules with it; set "
            "nodePoolAutoCreation.enabled to true",
        ),
        (
            {"nodePoolConfig": {"imageType": "COS_CONTAINERD"}},
            "spec.nodePoolConfig.imageType is 'COS_CONTAINERD'; allowed: cos_containerd, ubuntu_containerd; write "
            "cos_containerd",
        ),
        (
            {"nodePoolConfig": {"nodeLabels": {"team": "m l"}}},
            "spec.nodePoolConfig.nodeLabels has team: 'm l'; allowed: up to 63 letters, digits, -, _ and ., with a "
            "letter or "
            "digit at both ends; change it",
        ),
        (
            {"autoscalingPolicy": {"consolidationDelayMinutes": 0}},
            "spec.autoscalingPolicy.consolidationDelayMinutes is 0; allowed: 1 to 1440; change it, as in 5",
        ),
        (
            {"whenUnsatisfiable": "ScaleUp"},
            "spec.whenUnsatisfiable is 'ScaleUp'; allowed: DoNotScaleUp, ScaleUpAnyway; write DoNotScaleUp",
        ),
    ],
)
def test_a_wrong_field_is_one_line_with_value_choice_and_change(
    refused: Refused, more: dict[str, Any], expected: str
) -> None:
    assert refused(ComputeClass, {**SPEC, **more}) == [expected]


def test_a_name_of_gkes_own_is_refused() -> None:
    assert ComputeClass.name_problem("elastic") is None
    allowed = "a name that begins with neither gke nor autopilot"
    assert [ComputeClass.name_problem(name) for name in ("gke-elastic", "autopilot")] == [allowed, allowed]
    assert ComputeClass.name_problem("a" * 64) is not None
