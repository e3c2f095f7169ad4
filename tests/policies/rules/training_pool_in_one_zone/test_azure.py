"""training-pool-in-one-zone on Azure: the zones of a scale set."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.training_pool_in_one_zone import RULE

FIVE = "5 nodes of Standard_ND96isr_H100_v5"


@pytest.mark.parametrize("zones", [[], None])
def test_without_a_zone_azure_chooses(nd, found, zones):
    nd["train"]["availabilityZones"] = zones
    assert found(RULE, nd) == [("train", f"{FIVE} without a zone: Azure chooses their zones")]


def test_the_zones_of_a_pool_in_two_are_named(nd, found):
    nd["train"]["availabilityZones"] = ["1", "3"]
    assert found(RULE, nd) == [("train", f"{FIVE} in 2 zones: 1, 3")]


def test_two_zones_are_too_many_whichever_they_are(nd, found):
    nd["train"]["availabilityZones"] = ["1", nd.unknown]
    assert found(RULE, nd) == [("train", f"{FIVE} in 2 zones: 1, one not known yet")]


def test_one_zone_not_known_yet_is_one(nd, found, unknown):
    nd["train"]["availabilityZones"] = [nd.unknown]
    assert (found(RULE, nd), unknown(RULE, nd)) == ([], [])


def test_zones_not_known_yet_are_said(nd, found, unknown):
    nd["train"]["availabilityZones"] = nd.unknown
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [("train", f"the zones of {FIVE} are not known yet")]


def test_a_pool_of_one_node_needs_no_zone(nd, found):
    nd["train"].update(count=1.0, availabilityZones=["1", "2"])
    assert found(RULE, nd) == []
