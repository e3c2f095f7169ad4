"""Offers by the GPU-hour, and which of them are ranked beside machines of stacks."""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path

import gpucluster.cost.comparison.offers
from gpucluster.cost import PriceBook
from gpucluster.cost.comparison.offers import offers_of, rank_offers
from gpucluster.cost.prices import Price


def test_every_offer_has_a_price_and_every_fabric_a_source(book: PriceBook) -> None:
    with (Path(gpucluster.cost.comparison.offers.__file__).parent / "offers.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row for row in rows if bool(row["fabric"]) != bool(row["source"])] == []
    for row in rows:
        unit = "GPU-hour" if row["gpus"] == "1" else "instance-hour"
        assert isinstance(book.lookup(row["provider"], "global", row["sku"], unit=unit), Price), row
    assert {row["provider"] for row in rows} == {"coreweave", "crusoe", "lambda", "nebius", "runpod", "vast"}


def test_the_price_of_a_whole_machine_is_shared_among_its_gpus(book: PriceBook) -> None:
    by_name = {offer.name: offer.usd for offer in offers_of(book, "h100")}
    assert by_name["coreweave hgx-h100"] == Decimal("49.24") / 8
    assert by_name["lambda gpu_8x_h100_sxm_80gb"] == Decimal("3.99")


def test_what_has_no_known_fabric_or_is_not_sxm_is_shown_and_not_ranked(book: PriceBook) -> None:
    ranked = rank_offers({"ours p5.48xlarge": (Decimal("6.88"), "EFA")}, offers_of(book, "h100"))
    assert [(item.name, item.rank, item.fabric) for item in ranked if item.rank] == [
        ("crusoe h100-80gb-hgx", 1, "InfiniBand"),
        ("coreweave hgx-h100", 2, "InfiniBand"),
        ("ours p5.48xlarge", 3, "EFA"),
    ]
    assert {item.name: item.why for item in ranked if item.rank is None} == {
        "vast h100-nvl-median-offer": "NVL, not SXM",
        "runpod community-h100-sxm": "no fabric known",
        "runpod secure-h100-pcie": "PCIE, not SXM",
        "lambda gpu_1x_h100_pcie_80gb": "PCIE, not SXM",
        "lambda gpu_8x_h100_sxm_80gb": "no fabric known",
        "runpod secure-h100-sxm": "no fabric known",
        "vast h100-median-offer": "form factor unknown",
        "lambda gpu_1x_h100_sxm_80gb": "no fabric known",
        "nebius hgx-h100": "no fabric known",
    }
    assert all(item.source.endswith("(low)") for item in ranked if item.offer)


def test_a_machine_of_a_stack_that_says_no_fabric_is_not_ranked_either() -> None:
    found = rank_offers({"single": (Decimal("6.88"), "")}, [])
    assert [(item.rank, item.fabric, item.why) for item in found] == [(None, "not stated", "no fabric known")]


def test_offers_are_of_the_same_gpu(book: PriceBook) -> None:
    assert {offer.gpu for offer in offers_of(book, "h200")} == {"h200"}
    assert offers_of(book, "b300") == []


def test_equal_prices_share_a_rank() -> None:
    ranked = rank_offers({"one": (Decimal(5), "EFA"), "two": (Decimal(5), "EFA"), "three": (Decimal(6), "EFA")}, [])
    assert [(item.name, item.rank) for item in ranked] == [("one", 1), ("two", 1), ("three", 3)]
