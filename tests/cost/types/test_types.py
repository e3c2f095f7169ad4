"""Every type whose bill is a list of rates: one resource of each, its lines in a golden file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Assumptions, Estimate, PriceBook, estimate
from gpucluster.cost.handlers.rates_table import rate_of
from gpucluster.cost.handlers.registry import priced_types
from gpucluster.cost.rates import rows_of, usage_words

HERE = Path(__file__).parent
SAMPLES: dict[str, dict[str, Any]] = yaml.load((HERE / "samples.yaml").read_text(), yaml.CSafeLoader)
TABLES = ("aws", "azure-native", "gcp")
WITHOUT_A_PRICE = {
    "aws:elasticache/cluster:Cluster", "aws:elasticache/replicationGroup:ReplicationGroup",
    "aws:lightsail/instance:Instance", "aws:msk/cluster:Cluster", "aws:opensearch/domain:Domain",
    "azure-native:app:ContainerApp",
}  # fmt: skip
"""No source under an open licence is known for the sizes of their samples."""
REGIONS = {"aws": "us-east-1", "azure-native": "eastus", "gcp": "us-central1"}


def _cost(make: Callable[..., Resource], book: PriceBook, type_: str, inputs: dict[str, Any]) -> Estimate:
    values = {name: str(value) for name, value in inputs.get("usage", {}).items()}
    resource = make(type_, **{key: value for key, value in inputs.items() if key != "usage"})
    return estimate(Resources([resource], default_regions=REGIONS), book, Assumptions().with_values(values))


def _shown(type_: str, found: Estimate) -> Iterator[str]:
    yield type_
    for line in found.lines:
        price = f"${line.unit_price.normalize():f} per {line.unit}"
        yield f"    {line.name}: {line.quantity.normalize():,f} x {price}, {line.region} = ${line.monthly:,.2f}"
        yield f"        {line.source}, {line.as_of} ({line.confidence})"
        if line.assumption:
            yield f"        {line.assumption}"
    yield from (f"    not priced: {item.reason}" for item in found.not_priced)


def test_every_type_has_its_golden_lines(make: Callable[..., Resource], book: PriceBook) -> None:
    text = "\n".join(line for type_ in SAMPLES for line in _shown(type_, _cost(make, book, type_, SAMPLES[type_])))
    golden = HERE / "golden.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text + "\n")
    assert text + "\n" == golden.read_text()


def test_every_sample_is_priced_whole_and_costs_something(make: Callable[..., Resource], book: PriceBook) -> None:
    found = {type_: _cost(make, book, type_, inputs) for type_, inputs in SAMPLES.items()}
    assert {type_ for type_, cost in found.items() if cost.not_priced} == WITHOUT_A_PRICE
    assert {type_ for type_, cost in found.items() if not cost.monthly.expected} <= WITHOUT_A_PRICE


def test_every_type_of_a_table_has_a_sample_or_is_always_free() -> None:
    billed = {type_ for package in TABLES for type_, rows in rows_of(package).items()
              if any(row["unit"] != "free" for row in rows)}  # fmt: skip
    assert billed - set(SAMPLES) == set()
    assert set(SAMPLES) <= set(priced_types())


def test_over_a_hundred_and_fifty_types_of_the_three_clouds_are_priced() -> None:
    of_clouds = [type_ for type_ in priced_types() if type_.partition(":")[0] in TABLES]
    assert len(of_clouds) > 150


def test_every_name_of_usage_is_used_and_described() -> None:
    used = {factor.usage for package in TABLES for rows in rows_of(package).values() for row in rows
            for factor in rate_of(row).quantity if factor.usage}  # fmt: skip
    words = usage_words()
    assert used - set(words) == {"hours"}
    assert set(words) == set(Assumptions.names())
    assert [name for name, text in words.items() if not text] == []


def test_a_line_without_its_price_is_named_and_never_zero(
    make: Callable[..., Resource], book: PriceBook, without: Callable[..., PriceBook]
) -> None:
    costs = {type_: _cost(make, book, type_, sample) for type_, sample in SAMPLES.items()}
    for type_, line in [(type_, line) for type_, found in costs.items() for line in found.lines]:
        whole = costs[type_]
        rest = _cost(make, without(line), type_, SAMPLES[type_])
        gone = [other for other in whole.lines if (other.source, other.unit_price, other.unit, other.region)
                == (line.source, line.unit_price, line.unit, line.region) and other not in rest.lines]  # fmt: skip
        assert rest.not_priced and not rest.complete
        assert rest.monthly.expected == whole.monthly.expected - sum((one.monthly for one in gone), Decimal(0))
