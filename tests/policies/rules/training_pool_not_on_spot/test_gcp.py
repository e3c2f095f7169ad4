"""training-pool-not-on-spot on Google Cloud: one mutation of the compliant program per case."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.training_pool_not_on_spot import RULE


@pytest.mark.parametrize("setting", ["spot", "preemptible"])
def test_a_pool_on_spot_is_told(mega, found, setting):
    mega["train"]["nodeConfig"][setting] = True
    assert found(RULE, mega) == [("train", "5 nodes of a3-megagpu-8g on spot capacity")]


def test_flex_start_is_not_taken_back_one_by_one(mega, found):
    mega["train"]["nodeConfig"].update(flexStart=True, spot=False)
    assert found(RULE, mega) == []


def test_spot_not_known_yet_is_said(mega, found, unknown):
    mega["train"]["nodeConfig"]["spot"] = mega.unknown
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [("train", "whether it uses spot capacity is not known yet")]


def test_single_gpu_machines_may_be_spot(mega, found):
    mega["train"]["nodeConfig"].update(machineType="a3-highgpu-1g", spot=True)
    assert found(RULE, mega) == []
