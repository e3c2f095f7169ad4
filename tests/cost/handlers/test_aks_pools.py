"""Pools of AKS with prices of one's own. Their other bills: `bills/aks_pools.yaml`."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

from gpucluster.core.documents.formats import written
from gpucluster.core.program.facts import Budget
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Assumptions, PriceBook, estimate
from gpucluster.cost.documents.report.report import report_document
from gpucluster.cost.estimate.budgets import budget_verdict
from tests.says import Says

Make = Callable[..., Resource]

POOL = "azure-native:containerservice:AgentPool"
ND = "Standard_ND96isr_H100_v5"


def test_a_share_under_reservation_whose_price_is_that_of_a_gpu_is_priced_for_all_eight(
    make: Make, book: PriceBook, tmp_path: Path
) -> None:
    path = tmp_path / "ours.csv"
    path.write_text(
        f"provider,region,sku,unit,purchase,term,usd_per_unit\nazure,eastus,{ND},GPU-hour,reserved,1y,7.93\n"
    )
    pool = make(POOL, "nodes", location="eastus", vmSize=ND, count=5, osDiskType="Ephemeral")
    share = Assumptions().with_values({"reservation_1y_share": "0.8"})
    found = estimate(Resources([pool]), PriceBook(today=book.today, own=path), share)
    assert found.complete
    assert [(line.name, line.basis, f"{line.monthly:f}") for line in found.lines] == [
        (f"4 x {ND} reservation 1y", "4 x 730 h", f"{4 * 8 * Decimal('7.93') * 730:.2f}"),
        (f"1 x {ND} on demand", "1 x 730 h", "71773.60"),
    ]


OWN = f"""provider,region,sku,unit,usd_per_unit,as_of,source
azure,eastus,{ND},instance-hour,61.25,2026-11-01,agreement 4711
azure,eastus,AMLFS-Durable-Premium-125,GiB-month,0.1,2026-11-02,calculator
azure,eastus2,{ND},instance-hour,60,,
aws,us-east-1,p5.48xlarge,instance-hour,40,,
"""


def test_own_prices_change_the_estimate_and_what_can_be_told_of_the_budget(
    book: PriceBook, stack: Callable[..., list[Resource]], tmp_path: Path
) -> None:
    path = tmp_path / "ours.csv"
    path.write_text(OWN)
    resources = Resources(stack("azure-native"))
    listed = estimate(resources, book)
    own = estimate(resources, PriceBook(today=book.today, own=path))
    assert (listed.complete, own.complete) == (False, True)
    assert listed.monthly.expected == Decimal("358941.00")
    assert own.monthly.expected == 5 * Decimal("61.25") * 730 + 32 * 1024 * Decimal("0.1") + 73
    budget = Budget(Decimal(365_000), "fail")  # inside of the bound of the storage that is not priced
    verdicts = [budget_verdict(found, budget) for found in (listed, own)]
    assert [verdict.outcome for verdict in verdicts if verdict is not None] == ["cannot tell", "within"]


def test_the_report_says_whose_price_it_is_and_which_rows_to_fill_in(
    book: PriceBook, stack: Callable[..., list[Resource]], tmp_path: Path
) -> None:
    path = tmp_path / "ours.csv"
    path.write_text(OWN)
    resources = Resources(stack("azure-native"))
    before = written(report_document(estimate(resources, book)), "table")
    after = written(report_document(estimate(resources, PriceBook(today=book.today, own=path))), "table")
    assert "    azure,eastus,AMLFS-Durable-Premium-125,GiB-month,on_demand,,..." in before.splitlines()
    assert "Total per month $362,736.39 to $368,198.29" in " ".join(before.split())
    assert "of which priced $358,941.00" in " ".join(before.split())
    assert "bounded" in before
    assert "bounded" not in after
    assert "Not priced" not in after
    assert all(
        fact in " ".join(after.split()) for fact in ("$61.25", "ours.csv line 2", "agreement 4711", "2026-11-01")
    )
    assert f"ours.csv line 4: {ND} on_demand in azure eastus2" in after
    assert "ours.csv line 5" not in after  # of a cloud that this stack does not use


def test_a_capacity_block_says_how_many_machines_and_days_are_counted(make: Make, book: PriceBook) -> None:
    cluster = make("x:y:Cluster", "c", custom=False, durationDays=20)
    group = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/nd"
    pool = make(POOL, "nodes", location="eastus", vmSize=ND, count=5, osDiskType="Ephemeral",
                tags={"gpucluster-block-nodes": "8"}, capacityReservationGroupID=group)  # fmt: skip
    [line] = estimate(Resources([cluster, pool]), book).lines
    assert line.upfront == round(8 * Decimal("98.32") * 24 * 21, 2)
    assert line.assumption == Says("nd", "8 machines", "21 days")
