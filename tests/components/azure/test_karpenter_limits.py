"""What Karpenter can't carry on Azure is refused in words that say what to do."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.components.azure.karpenter_limits import karpenter_problems
from tests.components.told import told

ENGINE = "elastic.engine is 'karpenter', which on Azure"
SINGLE = ["Standard_NC40ads_H100_v5", "Standard_NC80adis_H100_v5"]


@pytest.mark.parametrize("purchase", [["on-demand"], ["spot"], ["spot", "on-demand"]])
def test_single_node_sizes_are_taken(purchase: list[str]) -> None:
    assert told(karpenter_problems(SINGLE, pool="dev", purchase=purchase)) == []


def test_a_size_with_infiniband_is_refused_among_others_too() -> None:
    assert told(karpenter_problems([*SINGLE, "Standard_ND96isr_H100_v5"], pool="dev", purchase=["spot"])) == [
        f"{ENGINE} starts machines outside any scale set, where Standard_ND96isr_H100_v5 has no InfiniBand; allowed: "
        "sizes without r; use the training pool"
    ]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            {"purchase": ["flex-start", "spot"]},
            "elastic.pools.dev.purchase has flex-start, which elastic.engine karpenter can't buy on Azure; allowed: "
            "on-demand, spot; choose from these",
        ),
        (
            {"nodes_per_job": 2},
            f"{ENGINE} can't carry jobs over 2 nodes: its machines have no GPU fabric; allowed: 1; use the training "
            "pool",
        ),
        ({"partition": "1g.10gb"}, f"{ENGINE} can't slice GPUs (1g.10gb); allowed: whole GPUs; use mig"),
        (
            {"reservation": "group-1"},
            f"{ENGINE} can't use reservation 'group-1'; allowed: none; use the training pool",
        ),
        (
            {"placement": True},
            f"{ENGINE} can't keep machines close to each other; allowed: no placement; use the training pool",
        ),
    ],
)
def test_a_pool_that_karpenter_cannot_start_is_refused(asked: dict[str, Any], expected: str) -> None:
    every: dict[str, Any] = {"pool": "dev", "purchase": ["spot"], **asked}
    assert told(karpenter_problems(SINGLE, **every)) == [expected]


def test_all_limits_of_karpenter_that_a_pool_breaks_are_told_at_once() -> None:
    found = karpenter_problems(["Standard_ND96asr_v4"], pool="dev", purchase=["flex-start"], nodes_per_job=4)
    assert len(found) == 3
