"""Programs as others write them: the report on each, and what holds for all of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucluster.core.documents.formats import written
from gpucluster.core.program.readers.files import read_text
from gpucluster.core.program.resources import Resources
from gpucluster.cost import Assumptions, Estimate, PriceBook, estimate
from gpucluster.cost.documents.report.report import report_document
from gpucluster.cost.estimate.labels import group_by
from gpucluster.cost.estimate.usage import check_names, read_usage
from gpucluster.cost.pricing.model import CostLine

HERE = Path(__file__).parent / "programs"
PROGRAMS = sorted(path.stem for path in HERE.glob("*.yaml"))


def _state(program: dict[str, Any], name: str) -> str:
    """The state of a program as `pulumi stack export` writes it."""
    urns = {one["name"]: f"urn:pulumi:dev::{name}::{one['type']}::{one['name']}" for one in program["resources"]}
    providers: dict[str, str] = {}
    records: list[dict[str, Any]] = []
    for package, region in program["regions"].items():
        key = "location" if package == "azure-native" else "region"
        providers[package] = f"urn:pulumi:dev::{name}::pulumi:providers:{package}::default"
        records.append({"urn": providers[package], "type": f"pulumi:providers:{package}", "custom": True, "id": "p",
                        "inputs": {key: region, "region": region}})  # fmt: skip
    for one in program["resources"]:
        provider = providers.get(one["type"].partition(":")[0])
        origins = {key: [urns[other]] for key, other in one.get("from", {}).items()}
        records.append({"urn": urns[one["name"]], "type": one["type"], "custom": True, "id": one["name"],
                        "inputs": one.get("inputs", {}), "propertyDependencies": origins,
                        **({"provider": f"{provider}::p"} if provider else {})})  # fmt: skip
    return json.dumps({"version": 3, "deployment": {"resources": records}})


def _read(name: str, tmp_path: Path) -> tuple[Resources, Assumptions]:
    program = yaml.safe_load((HERE / f"{name}.yaml").read_text())
    usage = tmp_path / "usage.yaml"
    usage.write_text(yaml.safe_dump(program["usage"]))
    resources, assumptions = read_text(_state(program, name), name), read_usage(usage)
    check_names(assumptions, resources)
    return resources, assumptions


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_report_on_a_program_is_its_golden_file(name: str, tmp_path: Path, book: PriceBook) -> None:
    resources, assumptions = _read(name, tmp_path)
    text = written(report_document(estimate(resources, book, assumptions), f"Cost of {name}"), "table") + "\n"
    golden = HERE / "golden" / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text)
    assert text == golden.read_text()


def test_there_are_six_programs_and_more_on_all_three_clouds() -> None:
    assert len(PROGRAMS) >= 6
    assert {name.partition("-")[0] for name in PROGRAMS} >= {"aws", "azure", "gcp", "gke"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_price_row_that_is_gone_leaves_a_line_not_priced_and_no_zero(
    name: str, tmp_path: Path, book: PriceBook, without: Callable[[CostLine], PriceBook]
) -> None:
    resources, assumptions = _read(name, tmp_path)
    whole = estimate(resources, book, assumptions)
    prices = {(line.source, line.unit_price, line.unit, line.region, line.name): line for line in whole.lines}
    for line in prices.values():
        rest = estimate(resources, without(line), assumptions)
        assert line.urn in {item.urn for item in rest.not_priced}, line.name
        assert line not in rest.lines
        kept = sum((one.monthly for one in rest.lines), Decimal(0))
        assert rest.monthly.expected == kept <= whole.monthly.expected


@pytest.mark.parametrize("name", PROGRAMS)
def test_parts_and_groups_add_up_to_the_total(name: str, tmp_path: Path, book: PriceBook) -> None:
    resources, assumptions = _read(name, tmp_path)
    found = estimate(resources, book, assumptions)
    assert sum((line.monthly for line in found.lines), Decimal(0)) == found.monthly.expected
    groups = group_by(found, resources, "team").groups
    assert sum((group.monthly.expected for group in groups), Decimal(0)) == found.monthly.expected


def _fleet(book: PriceBook, tasks: int, nodes: int, brokers: int, requests: Decimal) -> Estimate:
    program = {
        "regions": {"aws": "us-east-1"},
        "resources": [
            {"type": "aws:ecs/taskDefinition:TaskDefinition", "name": "t", "inputs": {"cpu": "256", "memory": "512"}},
            {"type": "aws:ecs/service:Service", "name": "s", "from": {"taskDefinition": "t"},
             "inputs": {"launchType": "FARGATE", "desiredCount": tasks}},
            {"type": "aws:elasticache/cluster:Cluster", "name": "c",
             "inputs": {"engine": "redis", "nodeType": "cache.m4.large", "numCacheNodes": nodes}},
            {"type": "aws:redshift/cluster:Cluster", "name": "r",
             "inputs": {"nodeType": "dc2.large", "numberOfNodes": brokers}},
            {"type": "aws:lambda/function:Function", "name": "f", "inputs": {}},
        ],
    }  # fmt: skip
    values = {"lambda_million_requests": f"{requests}", "lambda_ms_per_request": "100"}
    return estimate(read_text(_state(program, "fleet"), "fleet"), book, Assumptions().with_values(values))


COUNTS = st.integers(min_value=0, max_value=500)


@settings(max_examples=40, deadline=None)
@given(few=st.tuples(COUNTS, COUNTS, COUNTS, COUNTS), more=st.tuples(COUNTS, COUNTS, COUNTS, COUNTS))
def test_more_of_anything_never_costs_less(few: tuple[int, int, int, int], more: tuple[int, int, int, int]) -> None:
    book = _BOOK
    larger = tuple(one + other for one, other in zip(few, more, strict=True))
    small = _fleet(book, few[0], few[1], few[2], Decimal(few[3]))
    large = _fleet(book, larger[0], larger[1], larger[2], Decimal(larger[3]))
    assert small.complete and large.complete
    assert small.monthly.expected <= large.monthly.expected


_BOOK = PriceBook()
