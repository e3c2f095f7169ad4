"""training-pool-not-on-spot on Azure."""

from __future__ import annotations

from gpucluster.policies.rules.training_pool_not_on_spot import RULE


def test_a_training_pool_on_spot_is_found(nd, found):
    nd["train"]["scaleSetPriority"] = "Spot"
    assert found(RULE, nd) == [("train", "5 nodes of Standard_ND96isr_H100_v5 on spot capacity")]


def test_a_training_pool_of_regular_capacity_passes(nd, found, unknown):
    nd["train"]["scaleSetPriority"] = "Regular"
    assert (found(RULE, nd), unknown(RULE, nd)) == ([], [])


def test_spot_for_independent_jobs_passes(nd, found):
    nd["train"].update(vmSize="Standard_NC40ads_H100_v5", scaleSetPriority="Spot")
    nd["train"]["nodeLabels"]["gpucluster/pool"] = "elastic"
    assert found(RULE, nd) == []


def test_a_priority_not_known_yet_is_said(nd, found, unknown):
    nd["train"]["scaleSetPriority"] = nd.unknown
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [("train", "whether it uses spot capacity is not known yet")]
