"""Limits of Karpenter on Azure: each refusal says what to do."""

from __future__ import annotations

import pytest

from gpucluster.components.azure.planning.pools import karpenter_problems
from tests.components.told import told

ENGINE = "elastic.engine is 'karpenter', which on Azure"
SINGLE = ["Standard_NC40ads_H100_v5", "Standard_NC80adis_H100_v5"]


@pytest.mark.parametrize("purchase", [["on-demand"], ["spot"], ["spot", "on-demand"]])
def test_single_node_sizes_are_taken(purchase: list[str]) -> None:
    assert told(karpenter_problems(SINGLE, pool="dev", purchase=purchase)) == []


def test_a_size_with_infiniband_is_refused_among_others_too() -> None:
    assert told(karpenter_problems([*SINGLE, "Standard_ND96isr_H100_v5"], pool="dev", purchase=["spot"])) == [
        f"{ENGINE} starts machines outside of scale sets, where Standard_ND96isr_H100_v5 has no InfiniBand; allowed: "
        "sizes without r; use the training pool"
    ]


def test_a_purchase_that_karpenter_cannot_make_is_refused() -> None:
    assert told(karpenter_problems(SINGLE, pool="dev", purchase=["flex-start", "spot"])) == [
        "elastic.pools.dev.purchase has flex-start, which elastic.engine karpenter does not support on Azure; allowed: "
        "on-demand, spot; choose from these"
    ]


def test_all_limits_of_karpenter_that_a_pool_breaks_are_told_at_once() -> None:
    found = karpenter_problems(["Standard_ND96asr_v4"], pool="dev", purchase=["flex-start"])
    assert len(found) == 2
