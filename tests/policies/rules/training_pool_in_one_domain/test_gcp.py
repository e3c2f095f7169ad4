"""training-pool-in-one-domain on Google Cloud: one mutation of the compliant program per case."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from gpucluster.policies.rules.training_pool_in_one_domain import RULE
from tests.says import Says

POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
NOWHERE = "5 nodes of a3-megagpu-8g, no compact placement policy and no specific reservation"
COLLOCATED = {"groupPlacementPolicy": {"collocation": "COLLOCATED"}}


def _reserved(program, *values, kind="SPECIFIC_RESERVATION"):
    program["train"].pop("placementPolicy", None)
    affinity: dict[str, Any] = {"consumeReservationType": kind}
    if values:
        affinity.update(key="compute.googleapis.com/reservation-name", values=list(values))
    program["train"]["nodeConfig"]["reservationAffinity"] = affinity


def _own_policy(program, properties, given="near"):
    program.add(POLICY, "near", {"name": "near", "region": "us-central1", **properties})
    program["train"]["placementPolicy"] = {"type": "COMPACT", "policyName": given}
    program.depends("train", "placementPolicy", "near")


def _second_pool(program, name="more", **changed):
    pool = {**copy.deepcopy(program["train"]), "name": name, **changed}
    program.add("gcp:container/nodePool:NodePool", name, pool, **program.declared["train"].dependencies)


def test_the_fix_is_that_of_google_cloud(mega, messages):
    del mega["train"]["placementPolicy"]
    [text] = messages(RULE, mega)
    assert text == Says("placement_policy", "COMPACT")
    assert "placementGroup" not in text


@pytest.mark.parametrize(
    "asked", [COLLOCATED, {"workloadPolicy": {"type": "HIGH_THROUGHPUT", "maxTopologyDistance": "BLOCK"}}]
)
@pytest.mark.parametrize("given", ["near", "projects/p/regions/us-central1/resourcePolicies/near", None])
def test_an_own_policy_that_keeps_machines_together_is_a_domain(mega, found, unknown, asked, given):
    _own_policy(mega, asked, given or mega.unknown)
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


def test_spares_in_a_pool_with_a_policy_of_its_own_are_elsewhere(mega, found):
    _second_pool(mega, "spares", nodeCount=1.0)
    mega["train"]["nodeCount"] = 4.0
    assert found(RULE, mega) == [("spares", Says("5", "a3-megagpu-8g", "spares", "train", "2"))]


def test_spares_under_the_same_policy_are_in_the_same_domain(mega, found, unknown):
    _own_policy(mega, COLLOCATED)
    _second_pool(mega, "spares", nodeCount=1.0)
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


def test_spares_in_the_same_reservation_are_in_the_same_domain(mega, found, unknown):
    _reserved(mega, "mine/reservationBlocks/b")
    _second_pool(mega, "spares", nodeCount=1.0)
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


@pytest.mark.parametrize("label", ["gpucluster/pool", "cloud.google.com/gke-nodepool"])
def test_pools_that_workloads_tell_apart_are_two(mega, found, label):
    _second_pool(mega, "other")
    if label == "gpucluster/pool":
        mega["other"]["nodeConfig"]["labels"]["gpucluster/pool"] = "evaluation"
    else:
        spec = {"nodeLabels": {label: "train"}}
        mega.add("kubernetes:kueue.x-k8s.io/v1beta2:ResourceFlavor", "flavor", {"metadata": {}, "spec": spec})
    assert found(RULE, mega) == []


def test_a_pool_written_inside_its_cluster_is_looked_at(mega, found):
    pool = copy.deepcopy(mega["train"])
    del pool["placementPolicy"]
    mega.remove("train")
    mega["cluster"].update(nodePools=[pool], removeDefaultNodePool=False)
    assert found(RULE, mega) == [("cluster", NOWHERE)]
