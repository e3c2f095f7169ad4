"""How large and how fast Azure Managed Lustre is taken."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from gpucluster.components.azure.cloud import CLOUD
from gpucluster.components.azure.planning.storage import LUSTRE_TIERS, Bucket, plan_lustre, refuse_lustre
from gpucluster.components.shared.file_systems import TierPrices
from gpucluster.components.spec.storage import SharedStorage
from tests.components.told import told

# Not Azure's: the seed has none.
USD = {40: Decimal("0.10"), 125: Decimal("0.15"), 250: Decimal("0.21"), 500: Decimal("0.34")}
PRICES = TierPrices(here=USD.get)
UNPRICED = TierPrices(here=lambda _: None)
# Other clouds sell no tier of 40.
ELSEWHERE = TierPrices(here=UNPRICED.here, elsewhere={tier: usd for tier, usd in USD.items() if tier != 40}.get)


def asked(**fields: Any) -> SharedStorage:
    return SharedStorage.model_validate({"usable_tib": 20, **fields})


def refused(**fields: Any) -> list[str]:
    planning = CLOUD.planning(None, "dev")
    refuse_lustre(asked(**fields), planning)
    return told(planning.problems)


@pytest.mark.parametrize(
    ("fields", "tier", "tib"),
    [
        ({}, 125, 32),  # 25 TiB with headroom
        ({"gb_per_s": 3}, 125, 32),
        ({"usable_tib": 36, "tier": 125}, 125, 48),
        ({"gb_per_s": 5}, 250, 32),
        ({"gb_per_s": 10}, 250, 40),
        ({"gb_per_s": 40}, 500, 80),
        ({"usable_tib": 3}, 500, 4),
        ({"usable_tib": 3, "tier": 500}, 500, 4),
        ({"usable_tib": "3.3", "tier": 500}, 500, 8),
    ],
)
def test_without_a_price_those_of_other_clouds_put_the_tiers_in_order(
    fields: dict[str, Any], tier: int, tib: int
) -> None:
    made = plan_lustre(asked(**fields), ELSEWHERE)
    assert (made.tier, made.capacity_tib, made.sku) == (tier, tib, f"AMLFS-Durable-Premium-{tier}")
    assert made.gb_per_s >= asked(**fields).gb_per_s
    assert made.capacity_tib % LUSTRE_TIERS[tier].step == 0


def test_the_rule_is_said_where_no_price_is_known() -> None:
    assert plan_lustre(asked(gb_per_s=3), ELSEWHERE).choice == (
        "32,768 GiB at 125 MB/s per TiB: the cheapest by the prices of other regions, because no tier has a known "
        "price here"
    )
    assert plan_lustre(asked(gb_per_s=3), UNPRICED).choice == (
        "28,672 GiB at 500 MB/s per TiB: the least capacity, because no tier has a known price here"
    )


def test_with_prices_the_cheapest_is_taken_and_the_runner_up_named() -> None:
    made = plan_lustre(asked(gb_per_s=3), PRICES)
    assert (made.tier, made.capacity_tib) == (125, 32)
    assert made.choice == (
        "32,768 GiB at 125 MB/s per TiB for $4,915.20 a month is the cheapest; next is 32,768 GiB at 250 MB/s per TiB "
        "for $6,881.28 a month"
    )


def test_a_tier_of_another_cloud_and_one_that_is_too_small_are_refused() -> None:
    assert refused(tier=1000) == [
        "storage.shared.tier is 1000; Azure Managed Lustre has 40, 125, 250, 500 MB/s per TiB"
    ]
    assert refused(usable_tib=2000, tier=500) == [
        "storage.shared requests 2000 TiB of data, plus 25 % headroom, and 0 GB/s; Azure Managed Lustre has at most "
        "1,024 TiB at 500 MB/s per TiB: request less"
    ]
    assert refused(usable_tib=2000) == []


@pytest.mark.parametrize(("tib", "tier", "large"), [(100, 125, False), (110, 125, True), (600, 40, False)])
def test_more_than_is_given_without_a_request_is_known(tib: int, tier: int, large: bool) -> None:
    # A tier of 40 can't be asked for; it is taken where it is the cheapest.
    price = PRICES if tier != 40 else TierPrices(here={40: Decimal("0.01")}.get)
    fields = {"tier": tier} if tier != 40 else {}
    made = plan_lustre(asked(usable_tib=tib, **fields), price)
    assert (made.tier, made.large) == (tier, large)


def test_a_container_is_named_by_its_address() -> None:
    whole = plan_lustre(asked(bucket="https://corpora.blob.core.windows.net/text"), UNPRICED).bucket
    part = plan_lustre(asked(bucket="https://corpora.blob.core.windows.net/text/english/new"), UNPRICED).bucket
    assert whole == Bucket(account="corpora", container="text", prefix="/")
    assert part == Bucket(account="corpora", container="text", prefix="/english/new")
    assert plan_lustre(asked(bucket="own"), UNPRICED).bucket == Bucket(account="", container="", prefix="/bucket")
    assert refused(bucket="s3://corpora/text") == [
        "storage.shared.bucket is 's3://corpora/text'; on Azure write "
        "https://ACCOUNT.blob.core.windows.net/CONTAINER, with /prefix to import only a part of it, or own for "
        "storage.bucket"
    ]
