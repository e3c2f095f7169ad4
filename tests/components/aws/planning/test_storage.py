"""Sizes, tiers and prices of FSx for Lustre."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.components.aws.cloud import CLOUD
from gpucluster.components.aws.planning.storage import LustrePlace, LustrePlan, size_lustre
from gpucluster.components.shared.file_systems import TierPrices
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.storage import SharedStorage

PLACE = LustrePlace(sold="persistent_2", in_gpu_zone=True)
# USD per GiB-month; made up, so that a test does not change with the price book.
PRICES = {125: "0.15", 250: "0.20", 500: "0.35", 1000: "0.60"}


def priced(*tiers: int, elsewhere: tuple[int, ...] = ()) -> TierPrices:
    """The prices of these tiers here and in another region; the others are not known."""
    return TierPrices(
        here=lambda tier: Decimal(PRICES[tier]) if tier in tiers else None,
        elsewhere=lambda tier: Decimal(PRICES[tier]) if tier in elsewhere else None,
    )


def plan(tib: str, gb_per_s: str = "0", tiers: tuple[int, ...] = tuple(PRICES), *, fabric: bool = False) -> LustrePlan:
    asked = SharedStorage(usable_tib=Decimal(tib), gb_per_s=Decimal(gb_per_s), protect=False, fabric=fabric)
    return size_lustre(asked, priced(*tiers), PLACE)


@pytest.mark.parametrize(
    ("usable_tib", "gb_per_s", "capacity_gib"),
    [
        ("0.5", "0", 1200),  # 640 GiB with headroom
        ("0.9375", "0", 1200),  # 1,200 GiB to the byte
        ("0.94", "0", 2400),
        ("1.875", "0", 2400),
        ("20", "0", 26400),  # 25,600 GiB with headroom: the next step of 2,400
        ("20", "3.3", 26400),  # 26,400 GiB give 3.3 GB/s
        ("20", "3.31", 28800),  # more throughput than the data need: more capacity
        ("1", "12.5", 100_800),
    ],
)
def test_capacity_is_the_next_step_that_holds_data_headroom_and_throughput(
    usable_tib: str, gb_per_s: str, capacity_gib: int
) -> None:
    found = plan(usable_tib, gb_per_s, (125,))
    assert found.capacity_gib == capacity_gib
    assert found.gb_per_s >= Decimal(gb_per_s)


def test_throughput_counts_1000_gib_as_a_tib() -> None:
    assert plan("20").gb_per_s == Decimal("3.3")


@pytest.mark.parametrize(
    ("tib", "gb_per_s", "tier", "capacity_gib"),
    [
        ("20", "3", 125, 26400),  # 125: 26,400 x 0.15; 250: 26,400 x 0.20
        ("20", "5", 250, 26400),  # 125: 40,800 x 0.15 = 6,120; 250: 26,400 x 0.20 = 5,280
        ("20", "13", 500, 26400),  # 250: 52,800 x 0.20 = 10,560; 500: 26,400 x 0.35 = 9,240
        ("20", "26", 1000, 26400),  # 500: 52,800 x 0.35 = 18,480; 1000: 26,400 x 0.60 = 15,840
        ("1", "2", 1000, 2400),  # 500: 4,800 x 0.35 = 1,680; 1000: 2,400 x 0.60 = 1,440
    ],
)
def test_the_cheapest_tier_that_meets_both_is_taken(tib: str, gb_per_s: str, tier: int, capacity_gib: int) -> None:
    found = plan(tib, gb_per_s)
    assert (found.tier, found.capacity_gib) == (tier, capacity_gib)


def test_the_choice_names_the_runner_up_and_the_tiers_without_a_price() -> None:
    assert plan("20", "5", (125, 250, 1000)).choice == (
        "26,400 GiB at 250 MB/s per TiB for $5,280.00 a month is the cheapest; next is 40,800 GiB at 125 MB/s per TiB "
        "for $6,120.00 a month; not ranked, no price known here: 500 MB/s per TiB"
    )


def test_a_tier_without_a_price_is_never_taken_before_one_that_has_one() -> None:
    assert plan("20", "3", (1000,)).tier == 1000


def test_without_a_price_here_those_of_elsewhere_put_the_tiers_in_order_and_are_no_price() -> None:
    asked = SharedStorage(usable_tib=Decimal(20), gb_per_s=Decimal(5))
    assert size_lustre(asked, priced(elsewhere=(125, 250, 1000)), PLACE).choice == (
        "26,400 GiB at 250 MB/s per TiB: the cheapest by the prices of other regions, because no tier has a known "
        "price here"
    )


def test_without_any_price_the_least_capacity_is_taken_of_equals_the_slowest() -> None:
    assert [plan("20", gb_per_s, ()).choice for gb_per_s in ("3", "5")] == [
        "26,400 GiB at 125 MB/s per TiB: the least capacity, because no tier has a known price here",
        "26,400 GiB at 250 MB/s per TiB: the least capacity, because no tier has a known price here",
    ]


def test_a_tier_set_by_the_spec_is_kept_whatever_the_prices() -> None:
    asked = SharedStorage(usable_tib=Decimal(20), gb_per_s=Decimal(5), tier=125)
    found = size_lustre(asked, priced(*PRICES), PLACE)
    assert (found.tier, found.choice) == (
        125,
        "40,800 GiB at 125 MB/s per TiB for $6,120.00 a month, the tier set by the spec",
    )


@pytest.mark.parametrize(
    ("tier", "capacity_gib"),
    [(125, 38400), (250, 38400), (500, 28800), (1000, 28800)],  # 25,600 GiB with headroom
)
def test_with_the_fabric_capacity_comes_in_the_larger_steps_of_its_tier(tier: int, capacity_gib: int) -> None:
    found = plan("20", "0", (tier,), fabric=True)
    assert (found.tier, found.capacity_gib) == (tier, capacity_gib)


@pytest.mark.parametrize(
    ("changes", "cards", "told"),
    [
        ({}, 8, "by 8 of 32 network cards, which jobs use too: at most 700 Gb/s"),
        ({"accelerator": "h200"}, 8, "by 8 of 16 network cards, which jobs use too: at most 700 Gb/s"),
        ({"training": {"nodes": 127, "spares": 1}}, 8, "by 8 of 32"),
        (
            {"training": {"nodes": 128, "spares": 1}},
            7,
            "by 7 of 32 network cards, which jobs use too: at most 700 Gb/s",
        ),
        (
            {"training": {"nodes": 300, "spares": 0}},
            3,
            "by 3 of 32 network cards, which jobs use too: at most 300 Gb/s",
        ),
        ({"training": {"nodes": 1024, "spares": 1}}, 0, "a file system has 1,024 EFA connections, fewer than nodes"),
        ({"accelerator": "a100-80gb"}, 0, "sources list no EFA clients of FSx on p4de.24xlarge"),
        ({"versions": {"kubernetes": "1.33", "nodes": "1.32"}}, 0, "images before Kubernetes 1.33 lack the driver"),
        ({"versions": {"kubernetes": "1.33"}}, 8, "by 8 of 32"),
    ],
)
def test_nodes_mount_over_as_many_cards_as_the_file_system_has_connections_for(
    vary: Callable[..., ClusterSpec], changes: dict[str, Any], cards: int, told: str
) -> None:
    spec = vary(**changes, storage={"shared": {"usable_tib": 20, "fabric": True}})
    planning = CLOUD.planning(None, "s")
    plan = CLOUD.plan(spec, planning)
    assert plan.training.lustre_cards == cards
    [found] = [text for text in (*planning.notes, *planning.losses) if told in text]
    assert ("over EFA" in found, "over IP only" in found) == (cards > 0, cards == 0)


def test_without_the_fabric_nothing_is_said_of_it(vary: Callable[..., ClusterSpec]) -> None:
    planning = CLOUD.planning(None, "s")
    assert CLOUD.plan(vary(), planning).training.lustre_cards == 0
    assert [text for text in (*planning.notes, *planning.losses) if "over EFA" in text or "over IP" in text] == []
