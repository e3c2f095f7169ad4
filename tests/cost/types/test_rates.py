"""What a table can say: conditions, quantities, free cases, and what is said when nothing applies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.core.catalog.tables import DamagedTable, Row
from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.cost import Assumptions, Estimate
from gpucluster.cost.handlers import rates_table, registry
from gpucluster.cost.handlers.rates_table import rate_of
from tests.cases import cases
from tests.says import Says

ROW = {"when": "", "name": "n", "sku": "s", "unit": "hour", "quantity": "1", "region": "", "leaves": ""}


@cases
def test_the_rates_whose_conditions_hold_are_the_bill(
    make: Callable[..., Resource],
    cost_of: Callable[..., Estimate],
    type_: str,
    inputs: dict[str, Any],
    lines: dict[str, str],
) -> None:
    found = cost_of(make(type_, **inputs))
    assert [(line.name, line.basis) for line in found.lines] == [*lines.items()]
    assert found.complete and len(found.free) == (0 if lines else 1)


@pytest.mark.parametrize(
    ("type_", "inputs", "reasons"),
    [
        ("aws:lb/loadBalancer:LoadBalancer", {"loadBalancerType": "gateway"},
         [Says("loadBalancerType", "gateway", "application", "network")]),
        ("aws:rds/instance:Instance", {}, ["engine is not set"]),
        ("aws:rds/instance:Instance", {"engine": UNKNOWN}, ["engine is not known before the update"]),
        ("aws:opensearch/domain:Domain", {"clusterConfig": {"instanceType": "x9.search"}},
         [Says("x9.search", "no", "opensearch-x9.search", "on_demand", "us-east-1", "no", "row")]),
        ("aws:kinesis/stream:Stream", {}, [Says("shardCount", "not", "0", "more")]),
    ],
)  # fmt: skip
def test_what_no_rate_covers_is_named(
    make: Callable[..., Resource],
    cost_of: Callable[..., Estimate],
    type_: str,
    inputs: dict[str, Any],
    reasons: list[str],
) -> None:
    assert [item.reason for item in cost_of(make(type_, **inputs)).not_priced] == reasons


def test_hours_are_those_that_a_machine_runs_and_of_nothing_else(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate]
) -> None:
    part_time = Assumptions().with_values({"hours_per_month": "200"})
    database = make("aws:rds/instance:Instance", "d", engine="mysql", instanceClass="db.m5.large")
    machine = make("aws:ec2/instance:Instance", "m", instanceType="m5.large")
    balancer = make("aws:lb/loadBalancer:LoadBalancer", "b")
    found = cost_of(database, machine, balancer, assumptions=part_time)
    said = {line.name: (line.basis, line.assumption.partition(" hours a month")[0]) for line in found.lines}
    assert said["mysql db.m5.large"] == ("200 h", "hours_per_month: 200")
    assert said["1 x m5.large on demand"] == ("1 x 200 h", "Linux; hours_per_month: 200")
    assert said["Application load balancer"] == ("730 h", "")


FACTORS = "write a number, hours, {input}, #{input} or a name of cost/rates/usage.csv"


def _row(**values: str) -> Row:
    row = Row(ROW | values)
    row.place = "cost/rates/aws.csv line 9"
    return row


def test_a_quantity_is_a_product_of_numbers_hours_inputs_and_usage() -> None:
    found = rate_of(_row(quantity="2 x hours x {nodes:1} x #{disks} x alb_lcu")).quantity
    assert [(one.number, one.usage, one.path, one.members) for one in found] == [
        (2, "", (), False),
        (None, "hours", (), False),
        (None, "", ("nodes",), False),
        (None, "", ("disks",), True),
        (None, "alb_lcu", (), False),
    ]


@pytest.mark.parametrize(
    ("column", "value", "problem"),
    [
        ("quantity", "2 * hours", f"'2 * hours' is not a factor: {FACTORS}"),
        ("quantity", "{n x hours", f"'{{n' is not a factor: {FACTORS}"),
        ("quantity", "rover_hours", f"'rover_hours' is not a factor: {FACTORS}"),
        ("when", "always", "'always' is not a condition: write input=value"),
    ],
)
def test_a_row_that_cannot_be_read_is_refused_by_file_line_and_column(column: str, value: str, problem: str) -> None:
    with pytest.raises(DamagedTable) as refused:
        rate_of(_row(**{column: value}))
    assert str(refused.value) == f"cost/rates/aws.csv line 9: {column} is {value!r}; {problem}"


def test_such_a_row_ends_the_estimate_and_is_no_resource_without_a_price(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_HANDLERS", {})
    monkeypatch.setattr(rates_table, "rows_of", lambda _: {"aws:mars/rover:Rover": [_row(quantity="rover_hours")]})
    registry.prices("aws:mars/rover:Rover")(rates_table.by_table("aws:mars/rover:Rover"))
    with pytest.raises(DamagedTable, match=r"cost/rates/aws\.csv line 9: quantity is 'rover_hours'; "):
        cost_of(make("aws:mars/rover:Rover"))
