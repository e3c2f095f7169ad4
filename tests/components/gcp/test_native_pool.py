"""The elastic pool by GKE itself, typed out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from components.gcp.native_pool import NativePool, NativePoolArgs, class_node_label, class_node_taint
from components.plan import PlanError

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]

NODES = "nodes@acme.iam.gserviceaccount.com"
ARGS = NativePoolArgs(
    zone="us-central1-a",
    machine_type="a3-highgpu-1g",
    accelerator="nvidia-h100-80gb",
    gpus_per_node=1,
    purchase=["spot", "flex-start"],
    pools=["trial-elastic-nodes"],
    reserved_pools=["trial-training-nodes"],
    node_account=NODES,
    expected_gpus="2",
)
MACHINE = {
    "machineType": "a3-highgpu-1g",
    "gpu": {"type": "nvidia-h100-80gb", "count": 1, "driverVersion": "default"},
    "location": {"zones": ["us-central1-a"]},
    "storage": {"bootDiskType": "pd-balanced", "bootDiskSize": 200},
}


def declared(registered: Run, args: NativePoolArgs = ARGS) -> Registered:
    return registered(lambda: NativePool("elastic", args, labels={"team": "ml"}, after=[]))


def test_existing_elastic_pools_come_first_then_spot_then_flex_start(registered: Run) -> None:
    assert declared(registered) == [
        (
            "kubernetes:cloud.google.com/v1:ComputeClass",
            "elastic-pool",
            {
                "apiVersion": "cloud.google.com/v1",
                "kind": "ComputeClass",
                "metadata": {
                    "name": "elastic",
                    "labels": {"team": "ml"},
                    "annotations": {"gpucluster/expected-gpus": "2"},
                },
                "spec": {
                    "priorities": [
                        {"nodepools": ["trial-elastic-nodes"]},
                        {**MACHINE, "spot": True},
                        {**MACHINE, "flexStart": {"enabled": True}, "maxRunDurationSeconds": 604_800},
                    ],
                    "nodePoolAutoCreation": {"enabled": True},
                    "nodePoolConfig": {
                        "serviceAccount": NODES,
                        "imageType": "cos_containerd",
                        "nodeLabels": {"team": "ml", "gpucluster/pool": "elastic", "nvidia.com/gpu.present": "true"},
                    },
                    "activeMigration": {"optimizeRulePriority": False},
                    "autoscalingPolicy": {"consolidationDelayMinutes": 5, "gpuConsolidationThreshold": 1},
                    "whenUnsatisfiable": "DoNotScaleUp",
                },
            },
        )
    ]


def test_without_fallbacks_gke_makes_no_pool(registered: Run) -> None:
    [(_, _, inputs)] = declared(registered, replace(ARGS, purchase=[]))
    assert inputs["spec"]["priorities"] == [{"nodepools": ["trial-elastic-nodes"]}]
    assert inputs["spec"]["nodePoolAutoCreation"] == {"enabled": False}


def test_without_an_expected_use_there_is_no_annotation(registered: Run) -> None:
    [(_, _, inputs)] = declared(registered, replace(ARGS, expected_gpus=None))
    assert inputs["metadata"] == {"name": "elastic", "labels": {"team": "ml"}}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            {"pools": ["trial-elastic-nodes", "trial-training-nodes"]},
            "ComputeClass elastic: names trial-training-nodes; allowed: elastic pools only; remove the others",
        ),
        (
            {"purchase": ["reserved"]},
            "ComputeClass elastic: purchase is 'reserved'; allowed: on-demand, spot, flex-start; write one of these",
        ),
        (
            {"purchase": ["on-demand"]},
            "ComputeClass elastic: spec.priorities[1] has machineType 'a3-highgpu-1g' on demand; allowed for it: "
            "spot or "
            "flexStart; add one of them",
        ),
    ],
)
def test_what_gke_would_refuse_and_the_training_pool_are_refused(
    registered: Run, change: dict[str, Any], expected: str
) -> None:
    with pytest.raises(PlanError) as refusal:
        declared(registered, replace(ARGS, **change))
    assert refusal.value.problems == (expected,)


def test_an_existing_pool_belongs_to_the_class_by_label_and_taint() -> None:
    assert class_node_label() == {"cloud.google.com/compute-class": "elastic"}
    assert class_node_taint() == {"key": "cloud.google.com/compute-class", "value": "elastic", "effect": "NoSchedule"}
