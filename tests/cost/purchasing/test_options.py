"""The pools of a stack and what is the same in each row."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from gpucluster.core.program.facts import Terms
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import PriceBook, estimate
from gpucluster.cost.purchasing import Options

Make = Callable[..., Resource]
Found = Callable[..., Options]


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure-native"])
def test_the_row_of_the_plans_own_way_is_the_total_of_the_report(
    cloud: str, options: Found, trial: Callable[..., Resources], book: PriceBook
) -> None:
    found = options(cloud).pools[0]
    on_demand = next(option for option in found.options if option.way.purchase == "on_demand")
    report = estimate(trial(cloud), book)
    assert found.stack_monthly(on_demand) == report.monthly.expected
    assert found.per_gpu_hour(on_demand) == report.per_training_gpu_hour
    assert found.complete == report.complete


def test_every_row_differs_by_the_machines_alone(options: Found) -> None:
    found = options("gcp").pools[0]
    assert {found.stack_monthly(option) - option.monthly for option in found.options} == {found.rest.expected}


def test_ways_of_each_cloud_and_those_without_a_price(options: Found) -> None:
    def ways(cloud: str) -> tuple[list[str], list[str]]:
        pool = options(cloud).pools[0]
        return [option.way.words for option in pool.options], [one.words for one in pool.not_priced]

    assert ways("aws") == (
        ["on demand", "spot", "capacity block"],
        [
            f"{plan} {years}{paid}"
            for plan in ("savings plan", "EC2 Instance savings plan")
            for years in ("1y", "3y")
            for paid in ("", ", half upfront", ", all upfront")
        ],
    )
    assert ways("gcp") == (
        ["on demand", "spot", "flex-start", "calendar mode", "committed use 1y", "committed use 3y"],
        [],
    )
    assert ways("azure-native") == (
        ["on demand", "spot"],
        ["capacity block", "reservation 1y", "reservation 3y", "savings plan 1y", "savings plan 3y"],
    )


def test_spot_of_a_pool_that_works_as_one_counts_the_nodes_that_jobs_need(options: Found) -> None:
    found = options("aws")
    pool = found.pools[0]
    spot = next(option for option in pool.options if option.way.purchase == "spot")
    assert (pool.nodes, spot.bought.used) == (4, 5)  # a spare that goes stops nothing
    assert spot.interruptions is not None
    assert round(spot.useful, 4) == Decimal("0.9994")
    per_gpu = pool.training_rest + spot.monthly
    assert pool.per_useful_gpu_hour(spot, found.settings) == round(per_gpu / 730 / 32 / spot.useful, 2)


def test_utilisation_divides_the_price_of_a_useful_gpu_hour(options: Found) -> None:
    found = options("gcp", utilisation=Decimal("0.4"))
    pool = found.pools[0]
    on_demand = pool.options[0]
    assert on_demand.monthly == 340910
    assert pool.per_useful_gpu_hour(on_demand, found.settings) == round(
        (pool.training_rest + 340910) / 730 / 32 / Decimal("0.4"), 2
    )


def test_a_block_is_also_priced_without_the_spares_that_need_a_larger_one(options: Found) -> None:
    found = options("aws").pools[0]
    block = next(option for option in found.options if option.way.purchase == "capacity_block")
    assert (block.bought.used, block.bought.machines) == (5, 8)
    assert found.fitting is not None
    assert (found.fitting.bought.used, found.fitting.bought.machines) == (4, 4)
    assert (found.fitting.monthly * 2, (found.fitting.upfront or 0) * 2) == (block.monthly, block.upfront)
    assert options("aws", facts={"trainingGpus": 40}).pools[0].fitting is None  # 5 nodes of jobs need the block of 8


def test_zones_of_spot_stand_by_themselves_the_least_first(options: Found) -> None:
    zones = options("aws").pools[0].zones
    assert [zone.row.zone for zone in zones] == ["use1-atl2-az1", "use1-az6", "use1-az2", "use1-az3", "use1-az5"]
    assert zones[1].monthly == Decimal("64345.49")  # 5 x 17.6289 x 730 = 64,345.485
    assert options("gcp").pools[0].zones == ()


def test_a_machine_without_a_price_in_the_plan_has_those_of_other_ways(make: Make, options: Found) -> None:
    only_blocks = make("aws:eks/nodeGroup:NodeGroup", "h200", instanceTypes=["p5e.48xlarge"],
                       scalingConfig={"desiredSize": 2}, diskSize=100)  # fmt: skip
    own = "aws,us-east-1,p5e.48xlarge,instance-hour,capacity_block,,39.80,2026-11-01\n"
    found = options("aws", only_blocks, own=own)
    pool = next(item for item in found.pools if item.pool.name == "h200")
    assert [(option.way.words, option.monthly) for option in pool.options] == [("capacity block", Decimal("58108.00"))]
    assert ("on demand", "aws,us-east-1,p5e.48xlarge,instance-hour,on_demand,") in [
        (one.words, one.reason.own_row) for one in pool.not_priced
    ]
    assert pool.complete
    assert not found.pools[0].complete  # the other pool's rows are "at least"


def test_a_way_without_a_price_here_lies_between_its_discount_elsewhere_and_on_demand(options: Found) -> None:
    found = options("azure-native").pools[0]
    by_way = {one.words: one.ends for one in found.not_priced}
    assert {words for words, ends in by_way.items() if ends} == {
        "reservation 1y", "reservation 3y", "savings plan 1y", "savings plan 3y",
    }  # fmt: skip
    ends = by_way["reservation 1y"]
    assert ends is not None
    assert [end.rate.usd for end in ends] == [Decimal("52.0000"), Decimal("76.1332")]  # eastus2 alone has one
    assert [end.monthly for end in ends] == [end.rate.usd * 5 * 730 for end in ends]
    assert {end.rate.remark for end in ends} == {
        "by Standard_ND96isr_H100_v5 on demand, $98.32 in eastus, times 0.6400 as in 1 other region, divided and "
        "multiplied by 1.21"
    }
    assert "reservation 1y" not in {option.way.words for option in found.options}


def test_machines_in_a_reservation_named_by_id_are_the_same_in_each_row(make: Make, options: Found) -> None:
    template = make("aws:ec2/launchTemplate:LaunchTemplate", "lt", instanceType="p5.48xlarge",
                    capacityReservationSpecification={"capacityReservationTarget": {"capacityReservationId": "cr-1"}},
                    blockDeviceMappings=[])  # fmt: skip
    held = make("aws:eks/nodeGroup:NodeGroup", "held", scalingConfig={"desiredSize": 3},
                launchTemplate={"id": "lt"}, dependencies={"launchTemplate": template})  # fmt: skip
    found = options("aws", template, held)
    assert [item.pool.name for item in found.pools] == ["trial-training-nodes"]
    assert [(item.name, item.line.monthly) for item in found.held] == [("held", Decimal("120537.60"))]
    disks = 3 * 20 * Decimal("0.08")  # of the machines that are held, which their reservation does not bill
    alone = options("aws").pools[0]
    for option in alone.options:
        assert found.pools[0].stack_monthly(option) == alone.stack_monthly(option) + Decimal("120537.60") + disks


def test_a_reservation_without_a_price_makes_each_row_at_least(make: Make, options: Found) -> None:
    held = make("aws:ec2/instance:Instance", "held", instanceType="p5e.48xlarge", rootBlockDevice={"volumeSize": 10},
                capacityReservationSpecification={"capacityReservationTarget": {"capacityReservationId": "cr-1"}},
                )  # fmt: skip
    assert [pool.complete for pool in options("aws", held).pools] == [False]


def test_a_reservation_of_the_stack_is_on_demand_and_discounts_cover_it(make: Make, options: Found) -> None:
    reserved = make("aws:ec2/capacityReservation:CapacityReservation", "odcr", instanceType="p5.48xlarge",
                    instanceCount=6)  # fmt: skip
    pool = next(item for item in options("aws", reserved).pools if item.pool.name == "odcr")
    assert [option.way.words for option in pool.options] == ["on demand"]


def test_support_is_in_the_stack_where_the_account_has_a_plan(options: Found) -> None:
    monthly = Decimal(200_000)
    without = options("aws")
    assert (without.support, without.with_support(monthly)) == (None, monthly)
    given = options("aws", terms={"aws": Terms(support="enterprise", account_usd=Decimal(100_000))})
    assert given.with_support(monthly) == monthly + 5000 + Decimal("10500")


def test_a_discount_changes_no_way_to_buy_since_all_are_at_list_prices(options: Found) -> None:
    found = options("aws", terms={"aws": Terms(discount=Decimal("0.08"))})
    assert [pool.options for pool in found.pools] == [pool.options for pool in options("aws").pools]
    assert [pool.rest for pool in found.pools] == [pool.rest for pool in options("aws").pools]
