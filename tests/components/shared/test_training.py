"""The training pool: how many nodes it has, when it starts, and what its machines lack."""

from __future__ import annotations

import pytest

from gpucluster.components.shared.machine_choice import shape
from gpucluster.components.shared.training import TrainingNodes, is_active, report_fabric, report_gpus
from gpucluster.components.spec.cluster import PoolSpec
from gpucluster.components.spec.pools import Training
from tests.components.told import reports

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
    assert [is_active(way.purchase) for way in ways] == [True, True, True, False]


def test_a_slower_fabric_and_a_smaller_machine_are_losses() -> None:
    planning, training = reports(), Training(nodes=4, fabric_gbps=3200)
    for machine in (shape("aws", "p5.48xlarge"), shape("gcp", "a3-highgpu-8g")):
        report_fabric(training, machine, planning)
        report_gpus(machine, planning)
    report_gpus(shape("azure", "Standard_NC80adis_H100_v5"), planning)
    assert planning.losses == [
        "GPU fabric: 3,200 Gb/s a node requested, 800 on a3-highgpu-8g",
        "GPUs a node: 8 requested, 2 on Standard_NC80adis_H100_v5",
    ]
