"""Where a zone has no machines, the cheapest other places are named with the price of the whole cluster."""

from __future__ import annotations

from gpucluster.components.stack.stack_config import read_stack
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.cost.pricing import plan_prices
from gpucluster.operate.up.elsewhere import elsewhere
from tools.benchmarks.harness import ROOT


def test_other_regions_are_listed_once_each_and_never_the_own_one() -> None:
    plan = plan_stack(read_stack("aws-trial", ROOT), plan_prices)
    first, *rows, last = elsewhere(plan, lambda _: None)
    assert first.startswith("Elsewhere, the whole cluster for 14d")
    places = [row.strip().split("  ")[1].split(",")[0] for row in rows]
    assert (len(rows), len(set(places)), "aws us-east-1" in places) == (5, 5, False)
    assert all(row.strip().startswith("$") for row in rows)
    assert last == "All places and purchase options: gpucluster quote --gpus 32 --for 14d --accelerators h100"
