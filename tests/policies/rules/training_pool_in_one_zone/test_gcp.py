"""training-pool-in-one-zone on Google Cloud: one mutation of the compliant program per case."""

from __future__ import annotations

import copy

from gpucluster.policies.rules.training_pool_in_one_zone import RULE


def test_a_pool_in_two_zones_is_refused(mega, found):
    mega["train"].update(nodeLocations=["us-central1-a", "us-central1-c"], nodeCount=2.0)
    assert found(RULE, mega) == [("train", "4 nodes of a3-megagpu-8g in 2 zones: us-central1-a, us-central1-c")]


def test_a_pool_without_zones_in_a_regional_cluster_is_spread_over_three(mega, found):
    mega["train"].pop("nodeLocations")
    assert found(RULE, mega) == [
        (
            "train",
            "15 nodes of a3-megagpu-8g over 3 zones that GKE chooses: the cluster is in region `us-central1` and the "
            "node pool names no zone",
        )
    ]


def test_the_zones_of_the_cluster_hold_for_a_pool_without_its_own(mega, found):
    mega["train"].pop("nodeLocations")
    mega["cluster"]["nodeLocations"] = ["us-central1-b"]
    assert found(RULE, mega) == []
    mega["cluster"]["nodeLocations"].append("us-central1-c")
    assert found(RULE, mega) == [("train", "10 nodes of a3-megagpu-8g in 2 zones: us-central1-b, us-central1-c")]


def test_a_zonal_cluster_is_one_zone(mega, found, unknown):
    mega["train"].pop("nodeLocations")
    mega["train"].pop("location")
    mega["cluster"]["location"] = "us-central1-a"
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


def test_further_zones_of_a_zonal_cluster_count(mega, found):
    mega["train"].pop("nodeLocations")
    mega["train"]["location"] = mega["cluster"]["location"] = "us-central1-a"
    mega["cluster"]["nodeLocations"] = ["us-central1-b"]
    assert [name for name, _ in found(RULE, mega)] == ["train"]


def test_node_pools_of_one_training_pool_in_two_zones_are_refused(mega, found):
    pool = {**copy.deepcopy(mega["train"]), "nodeLocations": ["us-central1-c"], "nodeCount": 1.0}
    mega.add("gcp:container/nodePool:NodePool", "spares", pool, **mega.declared["train"].dependencies)
    assert found(RULE, mega) == [
        ("spares", "6 nodes of a3-megagpu-8g (`spares`, `train`) in 2 zones: us-central1-a, us-central1-c")
    ]


def test_a_zone_not_known_yet_is_one_zone_all_the_same(mega, found, unknown):
    mega["train"]["nodeLocations"] = [mega.unknown]
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


def test_zones_not_known_yet_are_said(mega, found, unknown):
    mega["train"]["nodeLocations"] = mega.unknown
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [("train", "the zones of nodes of a3-megagpu-8g are not known yet")]


def test_a_cluster_of_another_stack_is_said(mega, found, unknown):
    mega["train"].update(cluster="elsewhere")
    mega["train"].pop("nodeLocations")
    mega["train"].pop("location")
    mega.depends("train", "cluster")
    assert found(RULE, mega) == []
    assert [name for name, _ in unknown(RULE, mega)] == ["train"]


def test_one_node_may_be_in_a_zone_of_its_choice(mega, found):
    mega["train"].update(nodeCount=0.0, nodeLocations=["us-central1-a", "us-central1-c"])
    mega["train"]["autoscaling"] = {"totalMaxNodeCount": 1.0}
    assert found(RULE, mega) == []
