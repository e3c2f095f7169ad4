"""Offers by the GPU-hour, and which of them are ranked beside machines of stacks."""

from __future__ import annotations

import csv
import datetime
import json
from decimal import Decimal
from pathlib import Path

from click.testing import CliRunner

import gpucluster.cost.comparison.offers
from gpucluster.cli import main
from gpucluster.cost import PriceBook
from gpucluster.cost.comparison.offers import TF32_TFLOPS, market, offers_of, per_1000_tflops, rank_offers
from gpucluster.cost.prices import Price
from tests.says import Says


def test_every_offer_has_a_price_and_every_fabric_a_source(book: PriceBook) -> None:
    with (Path(gpucluster.cost.comparison.offers.__file__).parent / "offers.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row for row in rows if bool(row["fabric"]) != bool(row["source"])] == []
    for row in rows:
        unit = "GPU-hour" if row["gpus"] == "1" else "instance-hour"
        assert isinstance(book.lookup(row["provider"], "global", row["sku"], unit=unit), Price), row
    assert {row["provider"] for row in rows} == {
        "coreweave", "crusoe", "hyperstack", "lambda", "nebius", "oracle", "runpod", "vast",
    }  # fmt: skip


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
        "hyperstack h100-pcie": "PCIE, not SXM",
        "hyperstack h100-nvlink-pcie": "PCIE, not SXM",
        "hyperstack h100-sxm": "no fabric known",
        "oracle BM.GPU.H100.8": "no fabric known",
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
    assert offers_of(book, "l40s") == []


def test_equal_prices_share_a_rank() -> None:
    ranked = rank_offers({"one": (Decimal(5), "EFA"), "two": (Decimal(5), "EFA"), "three": (Decimal(6), "EFA")}, [])
    assert [(item.name, item.rank) for item in ranked] == [("one", 1), ("two", 1), ("three", 3)]


def test_the_market_has_offers_and_the_clouds_machines_in_their_cheapest_region_cheapest_first(book: PriceBook) -> None:
    found = market(book, "h100")
    assert [offer.usd for offer in found] == sorted(offer.usd for offer in found)
    by_name = {offer.name: (offer.row.region, offer.usd) for offer in found}
    assert by_name["aws p5.48xlarge"] == ("us-east-1", Decimal("6.88"))
    assert by_name["oracle BM.GPU.H100.8"] == ("global", Decimal(10))
    assert "aws p5.4xlarge" not in by_name
    assert [len({one.provider for one in market(book, gpu)}) > 5 for gpu in TF32_TFLOPS] == [True] * 4


def test_prices_older_than_90_days_are_old(book: PriceBook) -> None:
    crusoe = next(offer for offer in offers_of(book, "h100") if offer.provider == "crusoe")
    assert not crusoe.old(datetime.date(2027, 1, 8))
    assert crusoe.old(datetime.date(2027, 1, 9))


def test_a_thousand_tflops_of_a_crusoe_h100_cost_its_hour_by_its_tflops() -> None:
    assert per_1000_tflops(Decimal("3.9"), Decimal(890)).quantize(Decimal("0.001")) == Decimal("4.382")


def _gpus(*args: str) -> list[dict[str, str]]:
    done = CliRunner().invoke(main, ["cost", "prices", "gpus", "--format", "json", *args])
    assert (done.exit_code, done.stderr) == (0, "")
    return json.loads(done.stdout)["gpus"]


def test_the_command_prices_gpus_of_all_models_by_the_hour_and_by_their_tflops() -> None:
    rows = _gpus()
    assert {row["gpu"] for row in rows} == {"a100", "h100", "h200", "b200"}
    lambda_a100 = next(row for row in rows if row["sku"] == "gpu_8x_a100_sxm_80gb")
    assert (lambda_a100["usd_per_gpu_hour"], lambda_a100["usd_per_1000_tflops"]) == ("2.79", "8.942308")
    assert {row["usd_per_1000_tflops"] for row in rows if row["form"] != "sxm"} == {None}


def test_set_tflops_replace_those_of_the_data_sheet() -> None:
    rows = _gpus("--gpu", "h100", "--tflops", "h100=890")
    crusoe = next(row for row in rows if row["provider"] == "crusoe")
    assert (crusoe["gpu"], crusoe["usd_per_1000_tflops"]) == ("h100", "4.382022")


def test_the_table_names_the_region_of_a_cloud_and_marks_old_prices() -> None:
    done = CliRunner().invoke(main, ["cost", "prices", "gpus", "--gpu", "h100"])
    assert "aws p5.48xlarge, us-east-1" in done.stdout
    assert "2026-06-18 (old)" in done.stdout


def test_an_unknown_gpu_is_refused_with_the_known_ones() -> None:
    done = CliRunner().invoke(main, ["cost", "prices", "gpus", "--gpu", "v100"])
    assert (done.exit_code, done.stderr) == (2, Says("v100", "h100"))
