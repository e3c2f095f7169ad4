"""Advice, each recomputed from the inputs that it carries."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest

from gpucluster.components.aws.planning import storage as aws_lustre
from gpucluster.components.azure.planning import storage as azure_lustre
from gpucluster.components.gcp.planning import storage as gcp_lustre
from gpucluster.components.shared.file_systems import TierPrices
from gpucluster.components.spec.storage import SharedStorage
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import PriceBook
from gpucluster.cost.pricing.money import money, percent
from gpucluster.cost.purchasing import Settings
from gpucluster.cost.purchasing.file_systems import Need, asked_need, steps_of
from gpucluster.cost.purchasing.recommendations import Advice, advice_of
from tests.says import Says

Make = Callable[..., Resource]
CENT = Decimal("0.01")


def _advice(resources: list[Resource], book: PriceBook, need: Need | None = None, **settings: Any) -> list[Advice]:
    regions = {"aws": "us-east-1", "gcp": "us-central1"}
    return list(advice_of(Resources(resources, default_regions=regions), book, Settings(**settings), need=need))


def _values(advice: Advice) -> dict[str, Decimal]:
    """Inputs by the start of their name."""
    return {item.name: item.value for item in advice.inputs}


def _rate(advice: Advice, words: str) -> Decimal:
    return _values(advice)[f"USD per machine-hour, {words}"]


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)


def test_the_use_from_which_three_years_beat_on_demand(stack: Callable[..., list[Resource]], book: PriceBook) -> None:
    found = [item for item in _advice(stack("gcp"), book, days=Decimal(1000)) if item.kind == "commitment"]
    three, one = found
    machines, on_demand, rate = _values(three)["machines"], _rate(three, "on demand"), _rate(three, "committed use 3y")
    assert percent(rate / on_demand) == "43.5%"
    assert three.saves is not None
    assert three.saves == _cents(machines * (on_demand - rate) * 730)
    owed = money(_cents(machines * rate * 26280))
    assert three.text == Says("3y", "less", f"{percent(rate / on_demand)}", "more", f"{money(three.saves)}", owed)
    assert one.saves is not None
    assert three.saves > one.saves


def test_for_fewer_days_than_that_the_advice_is_against_a_commitment(
    stack: Callable[..., list[Resource]], book: PriceBook
) -> None:
    found = next(item for item in _advice(stack("gcp"), book) if item.kind == "commitment")
    values = _values(found)
    days = values["days of its term"] * _rate(found, "committed use 1y") / _rate(found, "on demand")
    assert values["days needed"] == 14 < days
    assert found.text == Says("more", f"{int(days) + 1}", "14", "not")
    assert found.saves is None


def test_a_commitment_that_has_second_opinions_only_gives_no_advice(
    stack: Callable[..., list[Resource]], book: PriceBook
) -> None:
    assert [item.kind for item in _advice(stack("aws"), book) if item.kind == "commitment"] == []


def test_what_is_sold_by_the_day_against_on_demand_for_as_long(
    stack: Callable[..., list[Resource]], book: PriceBook
) -> None:
    (found,) = [item for item in _advice(stack("gcp"), book) if item.kind == "by-the-day"]
    values = _values(found)
    paid = values["machines bought"] * values["days bought"] * 24 * _rate(found, "calendar mode")
    instead = values["machines"] * values["days needed"] * 24 * _rate(found, "on demand")
    assert found.saves == instead - paid == Decimal("82992.00")
    assert found.once
    assert money(paid) in found.text
    assert [item for item in _advice(stack("gcp"), book, days=Decimal(91)) if item.kind == "by-the-day"] == []


def test_a_block_that_only_the_spare_makes_dearer_is_advised_without_the_spare(
    stack: Callable[..., list[Resource]], book: PriceBook
) -> None:
    (found,) = [item for item in _advice(stack("aws"), book) if item.kind == "by-the-day"]
    assert found.text == Says("block of 4", "no spare", "$55,813.63", "$36,653.57", "5 machines on demand", "14")
    assert found.saves == Decimal("36653.57")
    assert _values(found)["machines bought"] == 4


def test_no_advice_is_about_a_way_to_buy_that_costs_more(stack: Callable[..., list[Resource]], book: PriceBook) -> None:
    days = Decimal(400)  # longer than a block may last
    assert not [item for item in _advice(stack("aws"), book, days=days) if "capacity block" in item.text]


def test_an_elastic_pool_that_is_cheaper_in_another_way(make: Make, book: PriceBook) -> None:
    pool = make("azure-native:containerservice:AgentPool", "pool", resourceName="trial", count=2,
                enableAutoScaling=True, minCount=0, maxCount=4,
                vmSize="Standard_NC40ads_H100_v5", osDiskType="Ephemeral")  # fmt: skip
    cluster = make("azure-native:containerservice:ManagedCluster", "cluster", location="eastus", resourceName="trial")
    (found,) = [item for item in _advice([cluster, pool], book) if item.kind == "elastic"]
    values = _values(found)
    assert found.saves == _cents(values["machines on average"] * _rate(found, "in the plan") * 730) - _cents(
        values["machines on average"] * _rate(found, "spot") * 730
    )


def test_what_a_step_of_lustre_wastes(make: Make, book: PriceBook) -> None:
    cluster = make("gpucluster:gcp:TrainingCluster", "trial", custom=False,
                   storageAsked={"usableTib": "20", "gbPerS": "3", "headroom": "1.25"})  # fmt: skip
    system = make("gcp:lustre/instance:Instance", "shared", parent=cluster, location="us-central1-a",
                  capacityGib="36000", perUnitStorageThroughput="250")  # fmt: skip
    (found,) = _advice([cluster, system], book)
    values = _values(found)
    over = values["GiB provisioned"] - values["TiB of data"] * 1024 * values["headroom"]
    usd = _cents(over * values["USD a GiB-month at 250 MB/s per TiB"])
    assert (found.kind, over, usd) == ("storage-step", 10400, Decimal("2184.00"))
    assert f"{int(over):,} GiB ({over / 1024:.1f} TiB), {money(usd)} a month" in found.text
    assert [item.source for item in found.inputs[1:4]] == ["storageAsked of trial"] * 3


def test_a_cheaper_tier_and_size_for_the_same_need(make: Make, book: PriceBook) -> None:
    system = make("gcp:lustre/instance:Instance", "shared", location="us-central1-a", capacityGib="27000",
                  perUnitStorageThroughput="1000")  # fmt: skip
    found = _advice([system], book, asked_need(Decimal(20), Decimal(3)))
    tier = next(item for item in found if item.kind == "storage-tier")
    values = _values(tier)
    now = values["GiB provisioned"] * values["USD a GiB-month at 1000 MB/s per TiB"]
    instead = values["GiB instead"] * values["USD a GiB-month at 250 MB/s per TiB"]
    assert (now, instead, tier.saves) == (Decimal("16200.0"), Decimal("7560.00"), Decimal("8640.00"))
    assert values["GiB instead"] >= values["TiB of data"] * 1024 * values["headroom"]
    assert values["GiB instead"] / 1024 * 250 / 1000 >= values["GB/s"]


def test_a_smaller_file_system_of_azure_for_the_same_need(make: Make, book: PriceBook) -> None:
    system = make("azure-native:storagecache:AmlFilesystem", "shared", location="northeurope", storageCapacityTiB=128,
                  sku={"name": "AMLFS-Durable-Premium-125"})  # fmt: skip
    found = _advice([system], book, asked_need(Decimal(20), Decimal(3)))
    tier = next(item for item in found if item.kind == "storage-tier")
    assert _values(tier)["GiB instead"] == 32768
    assert tier.saves == _cents((131072 - 32768) * _values(tier)["USD a GiB-month at 125 MB/s per TiB"])


def test_without_a_stated_need_storage_gets_no_advice(make: Make, book: PriceBook) -> None:
    system = make("gcp:lustre/instance:Instance", "shared", location="us-central1-a", capacityGib="27000",
                  perUnitStorageThroughput="1000")  # fmt: skip
    assert _advice([system], book) == []


NO_PRICES = TierPrices(here=lambda _: None)
SOLD = aws_lustre.LustrePlace(sold="persistent_2", in_gpu_zone=True)
PLANNERS: dict[str, Callable[[SharedStorage], tuple[int, int]]] = {
    "aws": lambda asked: _planned(aws_lustre.size_lustre(asked, NO_PRICES, SOLD)),
    "gcp": lambda asked: _planned(gcp_lustre.plan_lustre(asked, NO_PRICES)),
    "azure": lambda asked: _planned(azure_lustre.plan_lustre(asked, NO_PRICES)),
}


def _planned(plan: Any) -> tuple[int, int]:
    return plan.tier, plan.capacity_gib


@pytest.mark.parametrize(("tib", "speed"), [("0.5", "0"), ("20", "3"), ("20", "40"), ("300", "10"), ("4000", "500")])
@pytest.mark.parametrize(("cloud", "efa"), [("aws", False), ("aws", True), ("gcp", False), ("azure", False)])
def test_sizes_are_those_that_the_clusters_plan(cloud: str, tib: str, speed: str, efa: bool) -> None:
    need = Need(Decimal(tib), Decimal("1.25"), Decimal(speed), "here")
    for step in steps_of(cloud, efa=efa):
        if step.tier == 40:
            continue  # a spec can't ask for it
        asked = SharedStorage(usable_tib=Decimal(tib), gb_per_s=Decimal(speed), tier=step.tier, fabric=efa)  # pyright: ignore[reportArgumentType]
        found = step.for_need(need)
        if found is not None:
            assert PLANNERS[cloud](asked) == (step.tier, found), step


def test_every_tier_that_clusters_know_is_there() -> None:
    known = {
        "aws": aws_lustre.LUSTRE_TIERS["persistent_2"],
        "gcp": tuple(gcp_lustre.LUSTRE_TIERS),
        "azure": tuple(azure_lustre.LUSTRE_TIERS),
    }
    assert {cloud: tuple(step.tier for step in steps_of(cloud)) for cloud in known} == known
    # FSx API reference, StorageCapacity of CreateFileSystem.
    with_efa = {125: 38_400, 250: 19_200, 500: 9_600, 1000: 4_800}
    assert {step.tier: step.step for step in steps_of("aws", efa=True)} == with_efa
    assert {step.tier: step.most for step in steps_of("gcp")} == {
        tier: limits.most for tier, limits in gcp_lustre.LUSTRE_TIERS.items()
    }
