"""Flex-start on a cloud that does not sell it: every field that asks for it is named."""

from __future__ import annotations

from gpucluster.components.flex_start import flex_start_problems, other_flex_start_problems
from tests.components.conftest import Vary

POOLS = {"dev": {"max_gpus": 8, "purchase": ["spot", "flex-start"]}, "big": {"max_gpus": 8, "purchase": ["spot"]}}


def test_each_field_that_asks_for_it_is_named(vary: Vary) -> None:
    asked = vary(
        purchase={"kind": "flex-start"},
        duration="6d",
        elastic={"pools": POOLS},
        mig={"nodes": 1, "layout": "all-1g.10gb", "purchase": "flex-start"},
    )
    assert [*map(str, flex_start_problems(asked, "AWS")), *map(str, other_flex_start_problems(asked, "AWS"))] == [
        "purchase.kind is 'flex-start', which is available on Google Cloud but not on AWS; choose on-demand, or "
        "capacity-block for capacity with fixed dates",
        "elastic.pools.dev.purchase has flex-start, which is available on Google Cloud but not on AWS; choose from "
        "on-demand and spot",
        "mig.purchase is 'flex-start', which is available on Google Cloud but not on AWS; choose on-demand or spot",
    ]


def test_other_ways_to_buy_are_no_problem(vary: Vary) -> None:
    asked = vary(mig={"nodes": 1, "layout": "all-1g.10gb", "purchase": "spot"})
    assert [*flex_start_problems(asked, "Azure"), *other_flex_start_problems(asked, "Azure")] == []
