"""The training pool: how many nodes it has, when it starts, and what its machines lack."""

from __future__ import annotations

import pytest

from gpucluster.components.shapes import shape
from gpucluster.components.spec.parts import PoolSpec
from gpucluster.components.training import TrainingNodes, has_begun, training_losses

BLOCK = {"kind": "reservation", "id": "cr-0123"}


def spec(**changes: object) -> PoolSpec:
    return PoolSpec.model_validate({"name": "trial", "training": {"nodes": 4}, "duration": "14d", **changes})


@pytest.mark.parametrize(("active", "started"), [(True, 5), (False, 0)])
def test_spares_are_bought_and_nothing_starts_before_its_capacity(active: bool, started: int) -> None:
    pool = TrainingNodes(shape=shape("aws", "p5.48xlarge"), nodes=4, spares=1, active=active)
    assert (pool.size, pool.started) == (5, started)


def test_only_a_block_begins_later() -> None:
    ways = [
        spec(),
        spec(purchase={"kind": "flex-start"}),
        spec(purchase={"kind": "capacity-block", "active": True}, placement=BLOCK),
        spec(purchase={"kind": "capacity-block", "active": False}, placement=BLOCK),
    ]
    assert [has_begun(way) for way in ways] == [True, True, True, False]


def test_a_slower_fabric_and_a_smaller_machine_are_losses() -> None:
    asked = spec(training={"nodes": 4, "fabric_gbps": 3200})
    assert training_losses(asked, shape("aws", "p5.48xlarge")) == []
    assert training_losses(asked, shape("gcp", "a3-highgpu-8g")) == [
        "GPU fabric: 3,200 Gb/s a node requested, 800 on a3-highgpu-8g"
    ]
    assert training_losses(spec(), shape("azure", "Standard_NC80adis_H100_v5")) == [
        "GPUs a node: 8 requested, 2 on Standard_NC80adis_H100_v5"
    ]
