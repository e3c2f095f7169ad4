"""The document for machines."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpucluster.cost import PriceBook, estimate
from gpucluster.cost.documents.report.model import as_json
from gpucluster.program.readers.files import read_text


@pytest.fixture
def document(recordings: Path, book: PriceBook) -> dict[str, Any]:
    found = estimate(read_text((recordings / "plan.json").read_text(), "plan.json"), book)
    return json.loads(json.dumps(as_json(found)))


def test_the_fields_that_others_build_on_are_there(document: dict[str, Any]) -> None:
    assert list(document) == [
        "schema_version", "currency", "complete", "known", "monthly", "monthly_at_list_prices", "terms", "hourly",
        "per_training_gpu_hour", "training_gpus", "per_slice_hour", "trial", "committed_elsewhere_monthly",
        "unpriced_compute", "budget",
        "teams", "parts", "lines", "free", "not_priced", "what_if", "not_built", "idle_own_prices", "assumptions",
        "lines_by_usage", "coverage", "price_dates", "monthly_by_confidence",
    ]  # fmt: skip
    assert (document["schema_version"], document["currency"], document["complete"]) == (2, "USD", True)
    assert document["monthly"] == {"floor": "205124.80", "expected": "215201.60", "ceiling": "245432.00"}
    assert document["known"]["state"] == "complete"
    assert document["hourly"] == {"floor": "280.99", "expected": "294.80", "ceiling": "336.21"}
    assert (document["per_training_gpu_hour"], document["training_gpus"]) == ("8.78", "32")
    assert document["trial"] == {"days": "14", "expected": "99051.70", "ceiling": "112965.96", "upfront": "0"}
    assert document["budget"] == {"monthly": "250000", "on_exceed": "fail", "verdict": "within", "ceiling_over": False}
    assert document["coverage"] == {"resources": 18, "priced": 12, "free": 6, "not_priced": 0, "both": 0}
    assert document["price_dates"] == {"oldest": "2024-07-01", "newest": "2026-10-10"}


def test_a_line_says_everything_about_its_price(document: dict[str, Any]) -> None:
    (line,) = [line for line in document["lines"] if line["name"] == "5 x p5.48xlarge on demand"]
    assert line == {
        "resource": "urn:pulumi:dev::example::example:index:Pool$aws:eks/nodeGroup:NodeGroup::train-nodes",
        "resource_name": "train-nodes",
        "part": "train",
        "name": "5 x p5.48xlarge on demand",
        "quantity": "3650",
        "floor_quantity": "3650",
        "ceiling_quantity": "3650",
        "unit": "instance-hour",
        "basis": "5 x 730 h",
        "unit_price": "55.04",
        "list_unit_price": "55.04",
        "monthly": "200896.00",
        "monthly_floor": "200896.00",
        "monthly_ceiling": "200896.00",
        "region": "us-east-1",
        "purchase": "on_demand",
        "term": "",
        "source": "ewyluda/gpu-price-index@ab49c80:data/observations/2026/2026-10-10.csv",
        "as_of": "2026-10-10",
        "confidence": "high",
        "assumption": "",
        "usage": [],
        "spend": "new",
        "paid_by": "",
        "idle_quantity": "0",
        "upfront": "0",
    }


def test_money_is_text_that_adds_up(document: dict[str, Any]) -> None:
    for key in ("floor", "expected", "ceiling"):
        field = {"floor": "monthly_floor", "expected": "monthly", "ceiling": "monthly_ceiling"}[key]
        assert sum(Decimal(line[field]) for line in document["lines"]) == Decimal(document["monthly"][key])
        assert sum(Decimal(part["monthly"][key]) for part in document["parts"]) == Decimal(document["monthly"][key])
    for line in document["lines"]:
        exact = Decimal(line["quantity"]) * Decimal(line["unit_price"])
        assert abs(exact - Decimal(line["monthly"])) <= Decimal("0.005")


def test_nothing_in_the_document_is_a_binary_fraction(document: dict[str, Any]) -> None:
    def numbers(value: Any) -> list[float]:
        if isinstance(value, dict):
            return [number for item in value.values() for number in numbers(item)]
        if isinstance(value, list):
            return [number for item in value for number in numbers(item)]
        return [value] if isinstance(value, float) else []

    assert numbers(document) == []
