"""Racks in a quote: priced where the book has a price, and never a cluster."""

from __future__ import annotations

from decimal import Decimal

from gpucluster.cost.prices import PriceBook
from gpucluster.operate.quote.question import Question
from gpucluster.operate.quote.racks import rack_offers, rack_texts


def question(gpus: int, *accelerators: str, clouds: tuple[str, ...] = ("aws", "gcp", "azure")) -> Question:
    return Question(gpus=gpus, hours=720, accelerators=accelerators, clouds=clouds, places=frozenset())


def test_a_rack_has_the_price_of_the_book_and_the_others_are_said_to_have_none() -> None:
    found = [*rack_offers(question(144, "h100", "gb200"), PriceBook.in_use())]
    assert [(one.bought[0].cloud, len(one.bought), one.total, one.per_gpu_hour) for one in found] == [
        ("aws", 2, Decimal("1097141.76"), Decimal("10.582")),
        ("gcp", 2, None, None),
        ("azure", 2, None, None),
    ]
    assert str(found[0]) == (
        "aws, 2 racks of GB200 (36 x p6e-gb200.36xlarge), capacity block only (u-p6e-gb200x72), us-east-1-dfw-2a: "
        "$10.58 a GPU-hour, $1,097,141.76 for 144 GPUs, as of 2026-07-22"
    )
    assert str(found[1]) == (
        "gcp, 2 racks of GB200 (36 x a4x-highgpu-4g), reservation of whole racks: not priced, because the price book "
        "has no row; quota NVIDIA_GB200_GPUS"
    )


def test_half_a_rack_is_quoted_where_a_cloud_sells_it_and_the_others_are_said_to_sell_none() -> None:
    asked = question(36, "gb200")
    assert [*map(str, rack_offers(asked, PriceBook.in_use()))] == [
        "aws, 1 half rack of GB200 (9 x p6e-gb200.36xlarge), capacity block only (u-p6e-gb200x36), us-east-1-dfw-2a: "
        "$10.58 a GPU-hour, $274,285.44 for 36 GPUs, as of 2026-07-22"
    ]
    assert rack_texts(asked)[1:] == [
        "gcp sells GB200 in racks of 72 GPUs: 36 is no multiple",
        "azure sells GB200 in racks of 72 GPUs: 36 is no multiple",
    ]


def test_a_rack_and_a_half_are_two_purchases_and_not_three_halves() -> None:
    [found] = rack_offers(question(108, "gb200"), PriceBook.in_use())
    assert [one.sku for one in found.bought] == ["u-p6e-gb200x72", "u-p6e-gb200x36"]
    assert str(found) == (
        "aws, 1 rack and 1 half rack of GB200 (27 x p6e-gb200.36xlarge), capacity block only (u-p6e-gb200x72) and "
        "capacity block only (u-p6e-gb200x36), us-east-1-dfw-2a: $10.58 a GPU-hour, $822,856.32 for 108 GPUs, as of "
        "2026-07-22"
    )


def test_only_requested_clouds_and_accelerators_have_racks() -> None:
    book = PriceBook.in_use()
    assert [one.bought[0].machine_type for one in rack_offers(question(72, "gb300", clouds=("gcp",)), book)] == [
        "a4x-maxgpu-4g-metal"
    ]
    assert [*rack_offers(question(72, "h100", "b200"), book)] == []
    assert rack_texts(question(72, "h100", "b200")) == []
