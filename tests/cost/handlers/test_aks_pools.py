"""Pools of AKS: agent pools, capacity that bills them, their system disks, and Karpenter's machines."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpucluster.cost import Assumptions, Estimate, PriceBook, estimate
from gpucluster.cost.documents.report.table import as_table
from gpucluster.cost.verdict import budget_verdict
from gpucluster.program.facts import Budget
from gpucluster.program.resources import UNKNOWN, Resource, Resources

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]

POOL = "azure-native:containerservice:AgentPool"
ND = "Standard_ND96isr_H100_v5"
NC = "Standard_NC40ads_H100_v5"
GROUP = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/nd"


def _pool(make: Make, machine: str = ND, name: str = "nodes", **inputs: Any) -> Resource:
    found = {"location": "eastus", "vmSize": machine, "count": 5, "osDiskType": "Ephemeral", **inputs}
    return make(POOL, name, **{key: value for key, value in found.items() if value is not None})


def _lines(found: Estimate) -> list[tuple[str, str, str]]:
    return [(line.name, line.basis, f"{line.monthly:f}") for line in found.lines]


def test_five_training_machines_in_eastus_are_five_times_98_32_times_730(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_pool(make), region=None)
    assert found.not_priced == ()
    assert _lines(found) == [(f"5 x {ND} on demand", "5 x 730 h", "358868.00")]
    line = found.lines[0]
    assert line.monthly == 5 * Decimal("98.32") * 730
    assert (line.unit_price, line.region, line.purchase, line.as_of, line.confidence) == (
        Decimal("98.32"), "eastus", "on_demand", "2026-10-10", "high",
    )  # fmt: skip
    assert line.source.startswith("ewyluda/gpu-price-index@")


def test_a_pool_that_a_refresh_wrote_into_its_cluster_too_is_paid_once(make: Make, cost_of: CostOf) -> None:
    pool = _pool(make, agentPoolName="training", resourceName="c")
    inside = {"name": "training", "vmSize": ND, "count": 5, "osDiskType": "Ephemeral"}
    profiles = [inside, {**inside, "name": "other", "count": 1}]
    network = {"outboundType": "none"}
    sort = "azure-native:containerservice:ManagedCluster"
    cluster = make(
        sort, "cluster", location="eastus", resourceName="c", agentPoolProfiles=profiles, networkProfile=network
    )
    assert sorted(line.name for line in cost_of(pool, cluster).lines) == [f"1 x {ND} on demand", f"5 x {ND} on demand"]


def test_a_share_under_reservation_whose_price_is_that_of_a_gpu_is_priced_for_all_eight(
    make: Make, book: PriceBook, tmp_path: Path
) -> None:
    path = tmp_path / "ours.csv"
    path.write_text(
        f"provider,region,sku,unit,purchase,term,usd_per_unit\nazure,eastus,{ND},GPU-hour,reserved,1y,7.93\n"
    )
    share = Assumptions().with_values({"reservation_1y_share": "0.8"})
    found = estimate(Resources([_pool(make)]), PriceBook(today=book.today, own=path), share)
    assert found.complete
    assert _lines(found) == [
        (f"4 x {ND} reservation 1y", "4 x 730 h", f"{4 * 8 * Decimal('7.93') * 730:.2f}"),
        (f"1 x {ND} on demand", "1 x 730 h", "71773.60"),
    ]


def test_nodes_with_a_public_address_pay_for_it(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_pool(make, enableNodePublicIP=True), region=None)
    assert _lines(found)[1:] == [("Public address", "5 x 730 h", "18.25")]


def test_spot_machines_are_priced_as_such(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_pool(make, scaleSetPriority="Spot", spotMaxPrice=-1))
    assert _lines(found) == [(f"5 x {ND} spot", "5 x 730 h", "66318.68")]


@pytest.mark.parametrize(
    ("inputs", "amounts", "said"),
    [
        ({"count": 0}, ("0.00", "20381.60", "40763.20"), "expected_share: 0.5 of the maximum of nodes runs on average"),
        (
            {"count": 0, "nodeLabels": {"gpucluster/expected-gpus": "2"}},
            ("0.00", "10190.80", "40763.20"),
            "expected GPUs of nodes: 2 on average (label gpucluster/expected-gpus)",
        ),
        ({"count": 3, "minCount": 1}, ("5095.40", "15286.20", "40763.20"), ""),
        (
            {"count": 0, "nodeLabels": {"gpucluster/expected-gpus": "20"}},
            ("0.00", "40763.20", "40763.20"),
            "expected GPUs of nodes: 20 on average (label gpucluster/expected-gpus); more than the maximum of nodes, "
            "which counts instead",
        ),
    ],
)
def test_an_autoscaled_pool_has_a_floor_an_expectation_and_a_ceiling(
    make: Make, cost_of: CostOf, inputs: dict[str, Any], amounts: tuple[str, str, str], said: str
) -> None:
    (line,) = cost_of(_pool(make, NC, enableAutoScaling=True, maxCount=8, **inputs)).lines
    assert (f"{line.monthly_floor:f}", f"{line.monthly:f}", f"{line.monthly_ceiling}") == amounts
    assert (line.name, line.assumption) == (f"{NC} on demand, autoscaled", said)


def test_capacity_that_is_bought_elsewhere_counts_and_is_no_new_spend(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_pool(make, capacityReservationGroupID=GROUP))
    (line,) = found.lines
    assert (line.name, line.spend, line.monthly) == (
        f"5 x {ND} in reservation nd",
        "committed-elsewhere",
        Decimal("358868.00"),
    )
    assert found.monthly.expected == found.committed_monthly == Decimal("358868.00")
    assert line.assumption == (
        "nd is not part of this stack: billed by its capacity reservations while they exist, used or not, at the "
        "machine's own rate; capacity bought as a block, by its fee, which is unknown here; its capacity beyond "
        "these machines is unknown"
    )
    idle = cost_of(_pool(make, capacityReservationGroupID=GROUP, count=0))
    assert [item.compute for item in idle.not_priced] == [True]


def test_a_reservation_of_the_stack_bills_its_machines_and_no_others(make: Make, cost_of: CostOf) -> None:
    group = make("azure-native:compute:CapacityReservationGroup", "group", location="eastus")
    held = make("azure-native:compute:CapacityReservation", "held", location="eastus", sku={"name": ND, "capacity": 6},
                dependencies={"capacityReservationGroupName": group}, capacityReservationGroupName=UNKNOWN)  # fmt: skip

    def inside(machine: str) -> Estimate:
        pool = _pool(
            make, machine, capacityReservationGroupID=UNKNOWN, dependencies={"capacityReservationGroupID": group}
        )
        return cost_of(group, held, pool)

    assert _lines(inside(ND)) == [
        (f"6 x {ND} reserved, on demand", "6 x 730 h", "430641.60"),
        (f"5 x {ND} in reservation held", "5 x 730 h", "0.00"),
    ]
    assert _lines(inside(NC))[1:] == [(f"5 x {NC} on demand", "5 x 730 h", "25477.00")]
    late = cost_of(_pool(make, capacityReservationGroupID=UNKNOWN))
    assert [item.reason for item in late.not_priced] == ["capacityReservationGroupID is not known before the update"]


def test_reservations_of_the_account_cover_a_share(make: Make, cost_of: CostOf) -> None:
    used = Assumptions().with_values({"reservation_1y_share": "0.6", "reservation_3y_share": "0.2"})
    found = cost_of(_pool(make, location="eastus2"), assumptions=used)
    assert [(line.name, line.term, f"{line.monthly:f}") for line in found.lines] == [
        (f"3 x {ND} reservation 1y", "1y", "137794.80"),
        (f"1 x {ND} reservation 3y", "3y", "31506.80"),
        (f"1 x {ND} on demand", "", "71773.60"),
    ]
    missing = cost_of(_pool(make), assumptions=Assumptions().with_values({"savings_plan_3y_share": "1"}))
    assert [item.own_row for item in missing.not_priced] == [f"azure,eastus,{ND},instance-hour,savings_plan,3y"]


DISKS: list[tuple[str, dict[str, Any], list[str], list[str]]] = [
    ("Standard_D4s_v5", {"osDiskType": "Managed", "osDiskSizeGB": 128}, ["system disks, P10 98.55"], []),
    (ND, {"osDiskType": None, "osDiskSizeGB": 1000}, [], []),
    (ND, {"osDiskType": None, "osDiskSizeGB": 1500}, [],
     ["no price for managed-disk-P40-lrs on_demand in azure eastus per disk-month; known: eastus2 on_demand, "
      "australiacentral on_demand, australiacentral2 on_demand, australiaeast on_demand and 13 more"]),
    ("Standard_D4s_v5", {"osDiskType": None}, [],
     ["system disks of nodes: osDiskType is not set: AKS uses the machine's own disk if it is large enough, at no "
      "charge, and else a managed disk; set it to Ephemeral or Managed"]),
    ("Standard_D4s_v5", {"osDiskType": "Managed"}, [],
     ["system disks of nodes: osDiskSizeGB is not set: AKS chooses the size by the machine's vCPUs; set it"]),
]  # fmt: skip


@pytest.mark.parametrize(("machine", "inputs", "lines", "reasons"), DISKS)
def test_a_disk_of_the_machine_is_free_and_a_managed_one_billed_by_its_class(
    make: Make, cost_of: CostOf, machine: str, inputs: dict[str, Any], lines: list[str], reasons: list[str]
) -> None:
    found = cost_of(_pool(make, machine, **inputs))
    assert [f"{line.name} {line.monthly}" for line in found.lines if "disks" in line.name] == lines
    assert [item.reason for item in found.not_priced] == reasons
    assert f"5 x {machine} on demand" in [line.name for line in found.lines]


UNPRICED: list[tuple[dict[str, Any], str]] = [
    ({"count": None}, "count of nodes is not set: its number of nodes is unknown"),
    ({"count": 0, "enableAutoScaling": True}, "maxCount of nodes is not set: the number of running nodes is unknown"),
    ({"osType": "Windows"}, "osType of nodes is Windows: the price book has Linux only"),
    ({"vmSize": UNKNOWN}, "vmSize is not known before the update"),
]


@pytest.mark.parametrize(("inputs", "reason"), UNPRICED)
def test_a_pool_that_cannot_be_priced_is_named_as_machines(
    make: Make, cost_of: CostOf, inputs: dict[str, Any], reason: str
) -> None:
    found = cost_of(_pool(make, **inputs))
    assert [item.reason for item in found.not_priced] == [reason]
    assert found.unpriced_compute == found.not_priced


def _karpenter(make: Make, *, key: str = "node.kubernetes.io/instance-type", **node_class: Any) -> list[Resource]:
    requirements = [
        {"key": key, "operator": "In", "values": [NC]},
        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand", "spot"]},
        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["eastus-1"]},
    ]
    reference = {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "elastic"}
    return [
        make(
            "kubernetes:karpenter.azure.com/v1beta1:AKSNodeClass",
            "class",
            metadata={"name": "elastic"},
            spec=node_class,
        ),
        make(
            "kubernetes:karpenter.sh/v1:NodePool",
            "elastic",
            metadata={"annotations": {"gpucluster/expected-gpus": "2"}},
            spec={
                "limits": {"nvidia.com/gpu": "8"},
                "template": {"spec": {"nodeClassRef": reference, "requirements": requirements}},
            },
        ),
    ]


@pytest.mark.parametrize("key", ["node.kubernetes.io/instance-type", "karpenter.azure.com/sku-name"])
def test_machines_of_karpenter_on_azure_are_those_of_their_zone(make: Make, cost_of: CostOf, key: str) -> None:
    found = cost_of(*_karpenter(make, key=key, osDiskSizeGB=200), region=None)
    assert found.not_priced == ()
    (line,) = found.lines
    assert (line.name, line.region, f"{line.monthly_floor:f}", f"{line.monthly:f}", str(line.monthly_ceiling)) == (
        f"{NC} on demand, autoscaled", "eastus", "0.00", "10190.80", "40763.20",
    )  # fmt: skip


def test_a_system_disk_larger_than_the_machines_own_is_managed(make: Make, cost_of: CostOf) -> None:
    found = cost_of(*_karpenter(make, osDiskSizeGB=4000), region=None)
    assert [item.own_row for item in found.not_priced] == ["azure,eastus,managed-disk-P50-lrs,disk-month,on_demand,"]


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
    before = as_table(estimate(resources, book))
    after = as_table(estimate(resources, PriceBook(today=book.today, own=path)))
    assert "    azure,eastus,AMLFS-Durable-Premium-125,GiB-month,on_demand,,..." in before.splitlines()
    assert "Total per month $362,736.39 to $368,198.29 of which priced $358,941.00" in " ".join(before.split())
    assert "bounded: 1 without a price of its own" in before
    assert "at least" not in before + after
    assert "bounded" not in after
    assert "Not priced" not in after
    assert (
        "[1] $61.25 per instance-hour, eastus on-demand: your price, ours.csv line 2: agreement 4711, 2026-11-01 (high)"
        in (" ".join(after.split()))
    )
    assert f"Your prices without a line here\n  - ours.csv line 4: {ND} on_demand in azure eastus2" in after
    assert "ours.csv line 5" not in after  # of a cloud that this stack does not use
