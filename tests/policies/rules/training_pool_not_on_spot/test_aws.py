"""training-pool-not-on-spot: one mutation of the compliant program per case."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.training_pool_not_on_spot import RULE


@pytest.mark.parametrize("capacity", ["ON_DEMAND", "CAPACITY_BLOCK", None])
def test_a_training_pool_of_other_capacity_passes(program, found, capacity):
    program["train"]["capacityType"] = capacity
    assert found(RULE, program) == []


def test_a_pool_on_spot_is_told(program, found):
    program["train"]["capacityType"] = "SPOT"
    assert found(RULE, program) == [("train", "5 nodes of p5.48xlarge on spot capacity")]


def test_one_spot_node_is_no_training_pool(program, found):
    program["train"]["capacityType"] = "SPOT"
    program["train"]["scalingConfig"] = {"desiredSize": 1.0, "maxSize": 1.0, "minSize": 0.0}
    assert found(RULE, program) == []
