"""The money of the trials in every region that sells their machine: priced, bounded, or said why not.

`UPDATE_GOLDEN=1 pytest tests/stacks/test_money_anywhere.py` writes docs/reference/prices-by-region.md.
`money_before.csv` has for each item the number of regions, of those with a price of the machine, in which the price
book of 2026-11-21 had its price.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from gpucluster.components.stack.stack_config import stack_config
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.core.catalog.machines import machines
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.pricing import plan_prices
from gpucluster.operate.quote.market import places_of
from gpucluster.operate.quote.plan_declaration import declared

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reference/prices-by-region.md"
MACHINES = {"aws": "p5.48xlarge", "gcp": "a3-megagpu-8g", "azure": "Standard_ND96isr_H100_v5"}


@cache
def _trial(cloud: str) -> tuple[Resources, str]:
    """What the trial of a cloud declares, and the region it does so in."""
    stack, folder = f"{cloud}-trial", ROOT / "stacks"
    config = yaml.safe_load((folder / f"Pulumi.{stack}.yaml").read_text())["config"]
    running = stack_config(config, project="gpucluster", stack=stack, program=folder, root=ROOT)
    return declared(plan_stack(running, plan_prices)), config["gpucluster:region"]


def _moved(value: Any, old: str, new: str) -> Any:
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, Mapping):
        return {key: _moved(item, old, new) for key, item in cast("Mapping[str, Any]", value).items()}
    return [_moved(item, old, new) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def _there(resource: Resource, old: str, new: str) -> Resource:
    return replace(resource, inputs=_moved(resource.inputs, old, new))


@pytest.fixture(scope="module")
def cost_in(book: PriceBook) -> Callable[[str, str], Estimate]:
    """The trial of a cloud, priced in another region."""

    def found(cloud: str, region: str) -> Estimate:
        resources, here = _trial(cloud)
        return estimate(Resources([_there(one, here, region) for one in resources]), book)

    return found


@pytest.fixture(scope="module")
def book() -> PriceBook:
    return PriceBook()


def _regions(cloud: str, book: PriceBook) -> list[str]:
    """Those that a list of zones or machines names, and those in which the machine has a price."""
    machine = machines()[MACHINES[cloud]]
    priced = {row.region for row in book.rows(cloud) if row.sku == machine.machine_type and not row.zone}
    return sorted((priced | set(places_of(machine, book))) - {"multi-region"})


def test_the_regions_are_also_those_that_sell_a_machine_without_a_price_of_it(book: PriceBook) -> None:
    assert "us-gov-west-1" in _regions("aws", book)
    assert {"asia-east1", "europe-north1", "us-west1"} <= set(_regions("gcp", book))


@pytest.mark.parametrize("cloud", MACHINES)
def test_a_trial_is_priced_or_bounded_wherever_its_machine_is_sold(
    cloud: str, book: PriceBook, cost_in: Callable[[str, str], Estimate]
) -> None:
    sold = {row.sku for row in book.rows(cloud)}
    regions = _regions(cloud, book)
    assert len(regions) > 4
    for region in regions:
        found = cost_in(cloud, region)
        open_ = {item.own_row.split(",")[2]: item.reason for item in found.not_priced if item.between is None}
        assert open_ == {
            sku: f"no price for {sku} on_demand in {cloud} {region}: the price book has no row for {sku}"
            for sku in open_.keys() - sold
        }
        assert found.gaps.expected.known == ("unknown" if open_ else "bounded" if found.not_priced else "complete")
        assert isinstance(found.gaps.expected.most, Decimal)


def test_the_page_counts_for_each_item_where_it_is_priced_bounded_and_unknown(
    book: PriceBook, cost_in: Callable[[str, str], Estimate]
) -> None:
    with Path(__file__).with_name("money_before.csv").open(newline="") as file:
        before = {(row["cloud"], row["item"]): row["regions"] for row in csv.DictReader(file)}
    text = "\n".join(_page(book, cost_in, before)) + "\n"
    if "UPDATE_GOLDEN" in os.environ:
        PAGE.write_text(text)
    assert text == PAGE.read_text()


def _page(
    book: PriceBook, cost_in: Callable[[str, str], Estimate], before: Mapping[tuple[str, str], str]
) -> Iterator[str]:
    yield from (
        "# Prices by region",
        "",
        "The items of a trial in every region that a list of zones, machines or prices names for its machine: in how",
        "many regions each item is priced, [bounded](../buy/cost-reports.md#unknown-prices) and unknown. Before: in",
        "how many regions with a machine price the book of 2026-11-21 had a price of it. The last column names the",
        "regions of the smaller side.",
    )
    for cloud, machine in MACHINES.items():
        regions = _regions(cloud, book)
        states = _states(cloud, regions, cost_in)
        yield from ("", f"## {cloud}: {machine} in {len(regions)} regions", "")
        yield "| item | before | priced | bounded | unknown | regions that differ |"
        yield "| --- | ---: | ---: | ---: | ---: | --- |"
        for item, found in sorted(states.items()):
            priced, bounded, unknown = ([one for one in regions if found.get(one) == state] for state in STATES)
            counts = " | ".join(str(len(some)) for some in (priced, bounded, unknown))
            without = bounded + unknown
            differ = f"priced in {', '.join(priced)}" if 0 < len(priced) < len(without) else (
                f"not in {', '.join(without)}" if priced and without else ""
            )  # fmt: skip
            yield f"| {item} | {before.get((cloud, item), '')} | {counts} | {differ} |"


STATES = ("priced", "bounded", "unknown")


def _states(cloud: str, regions: list[str], cost_in: Callable[[str, str], Estimate]) -> dict[str, dict[str, str]]:
    """Item -> region -> priced, bounded or unknown."""
    states: dict[str, dict[str, str]] = {}
    for region in regions:
        found = cost_in(cloud, region)
        for line in found.lines:
            states.setdefault(line.sku, {})[region] = "priced"
        for item in found.not_priced:
            name = item.own_row.split(",")[2] if item.own_row else item.type
            states.setdefault(name, {})[region] = "unknown" if item.between is None else "bounded"
    return states
