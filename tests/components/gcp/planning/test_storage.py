"""How large and how fast Managed Lustre is taken."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from gpucluster.components.gcp.cloud import CLOUD
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.storage import LUSTRE_TIERS, plan_lustre, plan_shared
from gpucluster.components.shared.file_systems import TierPrices
from gpucluster.components.spec.storage import SharedStorage
from tests.components.told import told

# us-central1, 2026-06-05.
IOWA = {125: Decimal("0.145"), 250: Decimal("0.21"), 500: Decimal("0.34"), 1000: Decimal("0.60")}
PRICES = TierPrices(here=IOWA.get)
ELSEWHERE = TierPrices(here=lambda _: None, elsewhere=IOWA.get)


def asked(**fields: Any) -> SharedStorage:
    return SharedStorage.model_validate({"usable_tib": 20, **fields})


@pytest.mark.parametrize(
    ("fields", "tier", "capacity"),
    [
        ({"gb_per_s": 3}, 250, 36_000),  # 25,600 GiB with headroom
        ({"usable_tib": 5}, 1000, 9_000),
        ({"usable_tib": "7.2"}, 500, 18_000),  # 9,216 GiB: as much as two steps at 1,000, for less
        ({"usable_tib": 56}, 125, 72_000),  # 71,680 GiB
        ({"usable_tib": 20, "gb_per_s": 40}, 1000, 45_000),  # 40,960 GiB at 1,000 MB/s per TiB
        ({"gb_per_s": 3, "tier": 500}, 500, 36_000),
    ],
)
def test_the_cheapest_tier_that_is_large_and_fast_enough_is_taken(
    fields: dict[str, Any], tier: int, capacity: int
) -> None:
    made = plan_lustre(asked(**fields), PRICES)
    assert (made.tier, made.capacity_gib) == (tier, capacity)
    assert made.gb_per_s >= asked(**fields).gb_per_s


def test_the_runner_up_is_named() -> None:
    assert plan_lustre(asked(gb_per_s=3), PRICES).choice == (
        "36,000 GiB at 250 MB/s per TiB for $7,560.00 a month is the cheapest; next is 72,000 GiB at 125 MB/s per "
        "TiB for $10,440.00 a month"
    )


@pytest.mark.parametrize(
    ("fields", "tier", "capacity"),
    [({"gb_per_s": 3}, 250, 36_000), ({"usable_tib": 5}, 1000, 9_000), ({"usable_tib": 56}, 125, 72_000)],
)
def test_in_a_region_without_prices_those_of_another_put_the_tiers_in_order(
    fields: dict[str, Any], tier: int, capacity: int
) -> None:
    made = plan_lustre(asked(**fields), ELSEWHERE)
    assert (made.tier, made.capacity_gib, made.choice) == (
        tier,
        capacity,
        f"{capacity:,} GiB at {tier} MB/s per TiB: the cheapest by the prices of other regions, because no tier has "
        "a known price here",
    )


@pytest.mark.parametrize(
    ("tier", "needed", "capacity"),
    [
        (1000, 1, 9_000),
        (1000, 9_001, 18_000),
        (1000, 1_530_000, 1_530_000),
        (1000, 1_530_001, 1_584_000),
        (500, 3_060_001, 3_168_000),
        (250, 6_120_001, 6_336_000),
        (125, 72_001, 144_000),
    ],
)
def test_capacity_comes_in_steps_that_grow_beyond_a_threshold(tier: int, needed: int, capacity: int) -> None:
    assert LUSTRE_TIERS[tier].capacity(Decimal(needed)) == capacity


def test_a_tib_has_1024_gib_and_throughput_is_by_it() -> None:
    made = plan_lustre(asked(tier=500), PRICES)
    assert (made.usable_gib, made.capacity_gib, made.gb_per_s) == (20480, 36_000, Decimal("17.578125"))


def test_a_tier_that_is_too_small_is_left_to_the_others_and_refused_when_it_is_the_specs() -> None:
    large = {"usable_tib": 10_000}  # 12,800,000 GiB with headroom
    assert plan_lustre(asked(**large), PRICES).tier == 250
    planning = CLOUD.planning(None, "dev")
    plan_shared(asked(**large, tier=1000), planning, cidr="10.0.0.0/20")
    [problem] = told(planning.problems)
    assert problem.startswith(
        "storage.shared requests 10000 TiB of data, plus 25 % headroom, and 0 GB/s; Managed Lustre"
    )
    assert problem.endswith("has at most 10,008,000 GiB at 1000 MB/s per TiB: request less")


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        ("us-central1-b", []),
        ("us-east5-a", ["Managed Lustre: no known list has us-east5-a, only us-east5-b"]),
        ("europe-north1-c", ["Managed Lustre: no known list has europe-north1-c"]),
    ],
)
def test_a_zone_that_no_list_has_is_said_and_not_refused(zone: str, said: list[str]) -> None:
    region = zone.rpartition("-")[0]
    planning = CLOUD.planning(Location(project="my-project", region=region, zone=zone), "dev")
    plan_shared(asked(), planning, cidr="10.0.0.0/20")
    assert [note.partition(";")[0] for note in planning.before_up] == said
