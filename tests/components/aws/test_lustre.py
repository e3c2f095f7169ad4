"""Sizes of FSx for Lustre."""

from __future__ import annotations

from decimal import Decimal

import pytest

from components.aws.lustre import plan_lustre


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
    plan = plan_lustre(Decimal(usable_tib), Decimal(gb_per_s), protect=False)
    assert plan.capacity_gib == capacity_gib
    assert plan.gb_per_s >= Decimal(gb_per_s)


def test_throughput_counts_1000_gib_as_a_tib() -> None:
    assert plan_lustre(Decimal(20), Decimal(0), protect=True).gb_per_s == Decimal("3.3")
