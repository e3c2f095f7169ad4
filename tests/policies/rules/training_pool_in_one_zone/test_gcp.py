"""training-pool-in-one-zone on Google Cloud: one mutation of the compliant program per case."""

from __future__ import annotations

import copy

from gpucluster.policies.rules.training_pool_in_one_zone import RULE
from tests.says import Says


def test_node_pools_of_one_training_pool_in_two_zones_are_refused(mega, found):
    pool = {**copy.deepcopy(mega["train"]), "nodeLocations": ["us-central1-c"], "nodeCount": 1.0}
    mega.add("gcp:container/nodePool:NodePool", "spares", pool, **mega.declared["train"].dependencies)
    assert found(RULE, mega) == [
        ("spares", Says("6", "a3-megagpu-8g", "spares", "train", "2", "us-central1-a", "us-central1-c"))
    ]
