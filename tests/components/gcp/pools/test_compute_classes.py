"""A class of elastic machines by GKE itself, typed out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.components.gcp.pools.compute_classes import (
    ElasticMachine,
    class_node_label,
    class_node_taint,
    elastic_class,
)
from gpucluster.components.planning.planning import PlanError
from gpucluster.components.resources.label_transformation import labelled_objects
from gpucluster.components.shared.elastic import PoolPlan

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]

NODES = "nodes@acme.iam.gserviceaccount.com"
POOL = PoolPlan(name="dev", max_gpus=8, expected_gpus="2", purchase=("spot",), keep_empty=30, expire_after=None)
ADDED = ElasticMachine(
    zone="us-central1-a", machine_type="a3-highgpu-1g", accelerator="nvidia-h100-80gb", gpus=1, node_account=NODES
)
MACHINE = {
    "machineType": "a3-highgpu-1g",
    "gpu": {"type": "nvidia-h100-80gb", "count": 1, "driverVersion": "default"},
    "location": {"zones": ["us-central1-a"]},
    "storage": {"bootDiskType": "pd-balanced", "bootDiskSize": 200},
}


def declared(registered: Run, pool: PoolPlan = POOL, fallbacks: Sequence[str] = ("spot", "flex-start")) -> Registered:
    return registered(
        lambda: elastic_class(
            "elastic-dev-pool", pool, ADDED, fallbacks=fallbacks, opts=labelled_objects({"team": "ml"}, None)
        )
    )


def test_without_fallbacks_gke_makes_no_pool(registered: Run) -> None:
    [(_, _, inputs)] = declared(registered, fallbacks=[])
    assert inputs["spec"]["priorities"] == [{"nodepools": ["dev"]}]
    assert inputs["spec"]["nodePoolAutoCreation"] == {"enabled": False}


def test_without_an_expected_use_there_is_no_annotation(registered: Run) -> None:
    [(_, _, inputs)] = declared(registered, replace(POOL, expected_gpus=None))
    assert inputs["metadata"] == {"name": "dev", "labels": {"team": "ml"}}


@pytest.mark.parametrize(
    ("purchase", "expected"),
    [
        (
            "reserved",
            "ComputeClass dev: purchase is 'reserved'; allowed: on-demand, spot, flex-start; write one of these",
        ),
        (
            "on-demand",
            "ComputeClass dev: a3-highgpu-1g is bought on demand; allowed for it: spot, flex-start; write one of these",
        ),
    ],
)
def test_what_gke_would_refuse_is_refused(registered: Run, purchase: str, expected: str) -> None:
    with pytest.raises(PlanError) as refusal:
        declared(registered, fallbacks=[purchase])
    assert tuple(map(str, refusal.value.problems)) == (expected,)


def test_an_existing_pool_belongs_to_the_class_by_label_and_taint() -> None:
    assert class_node_label("dev") == {"cloud.google.com/compute-class": "dev"}
    assert class_node_taint("dev") == {"key": "cloud.google.com/compute-class", "value": "dev", "effect": "NoSchedule"}
