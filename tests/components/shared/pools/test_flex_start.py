"""Flex-start on a cloud that does not sell it: every field that asks for it is named."""

from __future__ import annotations

from gpucluster.components.shared.pools.elastic import refuse_flex_start
from gpucluster.components.spec.cluster import ClusterSpec
from tests.components.conftest import Vary
from tests.components.told import reports, told

POOLS = {"dev": {"max_gpus": 8, "purchase": ["spot", "flex-start"]}, "big": {"max_gpus": 8, "purchase": ["spot"]}}


def problems(spec: ClusterSpec, title: str) -> list[str]:
    planning = reports()
    refuse_flex_start(title, planning, purchase=spec.purchase, elastic=spec.elastic, mig=spec.mig)
    return told(planning.problems)


def test_each_field_that_asks_for_it_is_named(vary: Vary) -> None:
    asked = vary(
        purchase={"kind": "flex-start"},
        duration="6d",
        elastic={"pools": POOLS},
        mig={"nodes": 1, "layout": "all-1g.10gb", "purchase": "flex-start"},
    )
    assert problems(asked, "AWS") == [
        "purchase.kind is 'flex-start', which is available on Google Cloud but not on AWS; choose on-demand, or "
        "capacity-block for capacity with fixed dates",
        "elastic.pools.dev.purchase has flex-start, which is available on Google Cloud but not on AWS; choose from "
        "on-demand and spot",
        "mig.purchase is 'flex-start', which is available on Google Cloud but not on AWS; choose on-demand or spot",
    ]


def test_other_ways_to_buy_are_no_problem(vary: Vary) -> None:
    asked = vary(mig={"nodes": 1, "layout": "all-1g.10gb", "purchase": "spot"})
    assert problems(asked, "Azure") == []
