"""The report in every form."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gpucluster.core.documents.document import LONGEST, WIDEST
from gpucluster.core.documents.formats import NARROWEST, written
from gpucluster.core.program.readers.files import read_text
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Assumptions, Estimate, PriceBook, estimate
from gpucluster.cost.documents.report.report import report_document
from gpucluster.cost.documents.report.report_json import Line, line_fields, report_json, report_schema
from gpucluster.cost.documents.text import usage_count, usage_rates
from gpucluster.cost.estimate.labels import group_by
from tests.cost.documents.conftest import Golden, refused

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]
Recorded = Callable[[str], tuple[Estimate, Resources]]
RECORDED = ["plan", "state", "update"]
WIDE = "\N{GRINNING FACE}"
SCHEMA = report_schema()
RATES = [
    "REST requests (api): $3.50 per 1M-requests in us-east-1 (2024-07-01, medium), by api_million_requests",
    "Requests (a, b and 1 more): $0.20 per 1M-requests in us-east-1 (2024-07-01, medium), by lambda_million_requests",
    "Duration (a, b and 1 more): $0.0000166667 per GiB-second in us-east-1 (2024-07-01, medium), "
    "by lambda_million_requests x lambda_ms_per_request",
]


@pytest.fixture
def recorded(recordings: Path, book: PriceBook) -> Recorded:
    """The cost and the resources of a recorded plan or state."""

    def read(name: str) -> tuple[Estimate, Resources]:
        resources = read_text((recordings / f"{name}.json").read_text(), name)
        return estimate(resources, book), resources

    return read


def _table(found: Estimate, width: int = WIDEST) -> str:
    return written(report_document(found), "table", width)


def _rows(text: str) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(text))]


def _committed(make: Make) -> list[Resource]:
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-0123"}}
    template = make(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "t",
        instanceType="p5.48xlarge",
        capacityReservationSpecification=target,
    )
    group = make(
        "aws:eks/nodeGroup:NodeGroup", "a-node-group-with-a-name-that-is-longer-than-its-column-can-ever-hold",
        dependencies={"launchTemplate": template}, scalingConfig={"desiredSize": 5}, capacityType="CAPACITY_BLOCK",
    )  # fmt: skip
    facts = {"trainingGpus": 40, "durationDays": 21, "budget": {"monthly": "100", "onExceed": "fail"}}
    return [make("x:y:Cluster", "cluster", custom=False, **facts), template, group]


def _unbounded(make: Make) -> list[Resource]:
    requirements = [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.4xlarge"]}]
    zone = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]}
    pool = make(
        "kubernetes:karpenter.sh/v1:NodePool", "pool",
        metadata={"annotations": {"gpucluster/expected-gpus": 1}},
        spec={"template": {"spec": {"requirements": [*requirements, zone], "nodeClassRef": {"name": "c"}}}},
    )  # fmt: skip
    return [pool, make("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", metadata={"name": "c"})]


def _nothing_known(make: Make) -> list[Resource]:
    component = make("x:y:Cluster", "cluster", custom=False, trainingGpus=8, durationDays=7)
    inputs = {"scalingConfig": {"desiredSize": 1}, "instanceTypes": ["x9.huge"], "diskSize": 0}
    return [component, make("aws:eks/nodeGroup:NodeGroup", "nodes", **inputs)]


@pytest.mark.parametrize("form", ["txt", "md"])
def test_the_report_of_a_recorded_stack(form: str, recorded: Recorded, golden: Golden) -> None:
    found, resources = recorded("plan")
    groupings = [group_by(found, resources, "team")] if form == "md" else []
    golden(f"plan.{form}", report_document(found, "Cost of plan.json", resources.stack, groupings))


@pytest.mark.parametrize(
    ("name", "resources"),
    [("committed", _committed), ("unbounded", _unbounded), ("unknown", _nothing_known), ("empty", lambda _: [])],
)
def test_the_table_of_a_special_stack(
    name: str, resources: Callable[[Make], list[Resource]], make: Make, cost_of: CostOf, golden: Golden
) -> None:
    golden(f"{name}.txt", report_document(cost_of(*resources(make))))


def _amount(line: str) -> Decimal:
    return Decimal(line.rsplit("$", 1)[1].replace(",", ""))


@pytest.mark.parametrize("name", RECORDED)
def test_shown_amounts_add_up_by_hand(name: str, recorded: Recorded) -> None:
    head, _, totals = _table(recorded(name)[0]).partition("\nTotal per month")
    parts = [part.splitlines() for part in head.split("\n\n")[2:]]
    parts[0] = parts[0][2:]  # the heads
    assert len(parts) == 3
    for first, *lines in parts:
        amounts = [_amount(line) for line in lines if re.search(r"\[\d+\]", line)]
        assert _amount(first) == sum(amounts)
    assert _amount(totals.splitlines()[0]) == sum(_amount(part[0]) for part in parts)


@pytest.mark.parametrize("name", RECORDED)
def test_every_price_has_a_mark_with_its_source_and_date(name: str, recorded: Recorded) -> None:
    head, _, prices = _table(recorded(name)[0]).partition("\nPrices\n")
    used = dict.fromkeys(re.findall(r"\$[\d.]+ +\[(\d+)\]", head))
    explained = re.findall(r"^  \[(\d+)\] .*?\((?:high|medium|low)\)$", prices, flags=re.MULTILINE | re.DOTALL)
    assert [*used] == explained
    assert "ewyluda/gpu-price-index@ab49c80:data/observations/2026/2026-10-10.csv, 2026-10-10 (high)" in prices


def _amounts(text: str) -> list[str]:
    return re.findall(r"\$[\d,.]*\d|\[\d+\]", text)


@pytest.mark.parametrize("width", [NARROWEST, 90, WIDEST])
@pytest.mark.parametrize("name", RECORDED)
def test_no_width_loses_an_amount(name: str, width: int, recorded: Recorded) -> None:
    text = _table(recorded(name)[0], width)
    assert max(map(len, text.splitlines())) <= width
    assert _amounts(text) == _amounts(_table(recorded(name)[0], 1000))


def test_no_line_is_wider_than_the_table(make: Make, cost_of: CostOf) -> None:
    long: dict[str, Any] = {"notBuilt": ["a thing that was asked for " * 12]}
    text = _table(cost_of(make("x:y:A", "a", custom=False, **long), *_committed(make)))
    assert max(map(len, text.splitlines())) <= WIDEST


def test_usage_that_is_taken_as_zero_gives_no_part(make: Make, cost_of: CostOf) -> None:
    storage = make("x:y:Storage", "storage", custom=False)
    bucket = make("aws:s3/bucket:Bucket", "data", parent=storage)
    volume = make("aws:ebs/volume:Volume", "disk", type="gp3", size=100)
    lines = [line.strip() for line in _table(cost_of(storage, bucket, volume)).splitlines()]
    assert [line.split()[0] for line in lines if re.match("storage|stack", line)] == ["stack"]
    assert "1 line depends on usage, assumed to be 0" in lines
    assert "- S3 standard storage (data): $0.023 per GiB-month in us-east-1 (2025-10-22, medium), by s3_gib" in lines


def test_a_thousand_resources_fit_with_the_totals_first(make: Make, cost_of: CostOf) -> None:
    """Also with the longest names, in letters of four bytes, and nothing priced alike."""
    disks = [
        make("aws:ebs/volume:Volume", f"disk-{number}-" + WIDE * 60, type="gp3", size=number)
        for number in range(1, 801)
    ]
    unknown = [make(f"aws:rds/instance{number}:Instance", WIDE * 70) for number in range(200)]
    found = cost_of(*disks, *unknown)
    text = written(report_document(found, stack="dev"), "markdown")
    assert len(text.encode()) <= LONGEST
    assert f"{found.monthly.expected:,.2f} a month (unknown: 200 without" in text.splitlines()[0]
    assert "more lines" in text
    assert text.splitlines()[-1] == "<!-- gpucluster cost report dev -->"


def test_a_report_of_nothing_states_that(cost_of: CostOf) -> None:
    text = written(report_document(cost_of()), "markdown")
    assert text.splitlines()[0] == "**This stack costs $0.00 a month.**"


@pytest.fixture
def document(recorded: Recorded) -> dict[str, Any]:
    """The report on the recorded plan, as a reader of its JSON has it."""
    return json.loads(written(report_document(recorded("plan")[0]), "json"), parse_float=pytest.fail)


def test_the_fields_that_others_build_on_are_there(document: dict[str, Any]) -> None:
    assert list(document) == [
        "schema_version", "schema_minor", "currency", "complete", "known", "monthly", "monthly_at_list_prices", "terms",
        "hourly", "per_training_gpu_hour", "training_gpus", "per_slice_hour", "trial", "committed_elsewhere_monthly",
        "unpriced_compute", "budget",
        "teams", "parts", "lines", "free", "not_priced", "not_considered", "what_if", "not_built", "idle_own_prices",
        "assumptions",
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


@pytest.mark.parametrize("name", RECORDED)
def test_the_report_of_a_recorded_stack_is_valid_grouped_or_not(name: str, recorded: Recorded) -> None:
    found, resources = recorded(name)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert refused(SCHEMA, report_json(found)) == []
    assert refused(SCHEMA, report_json(found, [group_by(found, resources, "team")])) == []
    assert (
        {*SCHEMA["properties"]} == {*SCHEMA["required"], "group_by"} == {*report_json(found).model_dump(), "group_by"}
    )


def test_reports_of_nothing_and_of_everything_unusual_are_valid(make: Make, cost_of: CostOf) -> None:
    requirements = [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.4xlarge"]},
                    {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]}]  # fmt: skip
    pool = make(
        "kubernetes:karpenter.sh/v1:NodePool", "pool", metadata={"annotations": {"gpucluster/expected-gpus": 1}},
        spec={"template": {"spec": {"nodeClassRef": {"name": "c"}, "requirements": requirements}}},
    )  # fmt: skip
    machines = make("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", metadata={"name": "c"})
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    held = make("aws:ec2/instance:Instance", "held", instanceType="p5.48xlarge",
                capacityReservationSpecification=target)  # fmt: skip
    cluster = make("x:y:Cluster", "cluster", custom=False, trainingGpus=8, durationDays=7, notBuilt=["MIG"],
                   budget={"monthly": "1", "onExceed": "fail"},
                   slices={"sliced": {"1g.10gb": {"count": 7, "eighths": 1}}})  # fmt: skip
    part = make("x:y:Mig", "sliced", custom=False, parent=cluster)
    sliced = make("aws:ec2/instance:Instance", "seven", parent=part, instanceType="p5.4xlarge")
    unusual = cost_of(cluster, part, sliced, pool, machines, held, make("aws:rds/instance:Instance", "database"))
    assert unusual.monthly.ceiling == "unbounded"
    assert report_json(unusual).model_dump()["per_slice_hour"] == {"sliced": {"1g.10gb": "0.98"}}
    assert (refused(SCHEMA, report_json(cost_of())), refused(SCHEMA, report_json(unusual))) == ([], [])


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"monthly": {"floor": 1.5, "expected": "2", "ceiling": "3"}}, "$.monthly.floor"),
        ({"currency": "EUR"}, "$.currency"),
        ({"total": "3"}, "$"),
    ],
)
def test_the_schema_refuses_other_documents(change: dict[str, Any], path: str, cost_of: CostOf) -> None:
    assert refused(SCHEMA, report_json(cost_of()).model_dump() | change) == [path]


@pytest.mark.parametrize("name", RECORDED)
def test_csv_has_the_lines_of_the_report(name: str, recorded: Recorded) -> None:
    found, resources = recorded(name)
    rows = _rows(written(report_document(found, groupings=[group_by(found, resources, "team")]), "csv"))
    fields = [{**line, "usage": " ".join(line["usage"])} for line in line_fields(found.lines, found.names)]
    unpriced = ("reason", "monthly_least", "monthly_most", "bound")
    assert tuple(rows[0]) == ("line", "status", *Line.model_fields, *unpriced, "label:team")
    assert [row["line"] for row in rows] == [str(number) for number in range(1, len(found.lines) + 1)]
    assert [{key: row[key] for key in line} for row, line in zip(rows, fields, strict=True)] == fields
    assert [row["name"] for row in rows if row["status"] == "depends on usage"] == [
        line.name for line in found.lines if line.by_usage
    ]
    assert sum(Decimal(row["monthly"]) for row in rows) == found.monthly.expected


def test_each_team_has_its_part_of_the_trial_in_table_json_and_csv(
    stack: Callable[..., list[Resource]], book: PriceBook
) -> None:
    teams = {"nlp": {"shares": {"trial-training": {"gpus": 8, "of": 32}}, "monthly": "60000"}}
    found = estimate(Resources(stack("aws", teams=teams), default_regions={"aws": "us-east-1"}), book)
    assert [(team.name, team.monthly, team.this_trial) for team in report_json(found).teams] == [
        ("nlp", Decimal("51249.25"), Decimal("23588.70")),
        ("(no team)", Decimal("153747.75"), Decimal("70766.08")),
    ]
    assert found.trial_total == Decimal("94354.78")
    assert [line for line in _table(found).splitlines() if line.split()[-1:] == ["$23,588.70"]] != []
    rows = _rows(written(report_document(found), "csv"))
    assert [{key: text for key, text in row.items() if text} for row in rows[-2:]] == [
        {"status": "share of a team", "name": "nlp", "team_monthly": "51249.25", "team_this_trial": "23588.70"},
        {"status": "share of a team", "name": "(no team)", "team_monthly": "153747.75", "team_this_trial": "70766.08"},
    ]
    assert sum(Decimal(row["monthly"] or 0) for row in rows) == found.monthly.expected
    assert "8 GPUs, 5,840 GPU-hours; $23,588.70 this trial; " in written(report_document(found), "html")
    (narrow,) = [line for line in _table(found, 80).splitlines() if line.startswith("nlp ")]
    assert narrow.split() == ["nlp", "8", "5,840", "$70.20", "$51,249.25", "$23,588.70"]


def test_without_a_duration_no_team_has_a_trial(stack: Callable[..., list[Resource]], book: PriceBook) -> None:
    teams = {"nlp": {"shares": {"trial-training": {"gpus": 8, "of": 32}}}}
    found = estimate(
        Resources(stack("aws", teams=teams, durationDays=None), default_regions={"aws": "us-east-1"}), book
    )
    assert [team.this_trial for team in report_json(found).teams] == [None, None]
    assert "this trial" not in _table(found)


def test_a_row_without_a_price_has_no_amount_and_says_why(make: Make, cost_of: CostOf) -> None:
    found = cost_of(make("aws:ebs/volume:Volume", "far", type="gp3", size=100), region="xx-nowhere-1")
    (row,) = _rows(written(report_document(found), "csv"))
    assert (row["resource_name"], row["status"], row["monthly"]) == ("far", "not priced", "")
    assert row["reason"].startswith("no price for ebs-gp3 on_demand in aws xx-nowhere-1")


@pytest.mark.parametrize("name", ["=1+1", "+a", "-a", "@a", "\ta"])
def test_no_name_becomes_a_formula(make: Make, cost_of: CostOf, name: str) -> None:
    (row,) = _rows(written(report_document(cost_of(make("aws:ebs/volume:Volume", name, type="gp3", size=1))), "csv"))
    assert row["resource_name"] == f"'{name}"
    assert row["monthly"] == "0.08"


def test_a_stack_without_lines_has_its_header(cost_of: CostOf) -> None:
    assert written(report_document(cost_of()), "csv").startswith("line,status,resource,")


def test_a_name_of_several_lines_with_commas_and_quotes_is_one_cell(make: Make, cost_of: CostOf) -> None:
    odd = 'a "b",\nc'
    (row,) = csv.DictReader(
        io.StringIO(written(report_document(cost_of(make("aws:ebs/volume:Volume", odd, type="gp3", size=1))), "csv"))
    )
    assert row["resource_name"] == odd


@pytest.fixture
def serverless(make: Make) -> list[Resource]:
    functions = [make("aws:lambda/function:Function", name, memorySize=128) for name in "abc"]
    return [make("aws:apigateway/restApi:RestApi", "api"), *functions]


def test_each_rate_stands_once_with_its_price_and_the_usage_that_moves_it(
    serverless: list[Resource], cost_of: CostOf
) -> None:
    found = cost_of(*serverless)
    assert usage_rates(found) == RATES
    assert usage_count(found) == "7 lines depend on usage, assumed to be 0"


def test_usage_that_is_said_is_a_line_like_any_other(serverless: list[Resource], cost_of: CostOf) -> None:
    usage = Assumptions().with_values({"api_million_requests": "2", "lambda_million_requests": "1"})
    found = cost_of(*serverless, assumptions=usage)
    assert found.monthly.expected == Decimal("7.60")
    assert usage_rates(found) == RATES[2:]


def test_a_pool_without_machines_does_not_depend_on_usage(make: Make, cost_of: CostOf) -> None:
    empty = make("aws:eks/nodeGroup:NodeGroup", "empty", instanceTypes=["p5.48xlarge"], diskSize=20,
                 scalingConfig={"desiredSize": 0})  # fmt: skip
    assert usage_count(cost_of(empty)) == ""


def test_no_form_hides_the_usage_of_a_program_without_other_cost(serverless: list[Resource], cost_of: CostOf) -> None:
    document = report_document(cost_of(*serverless), stack="dev")
    markdown = written(document, "markdown")
    assert markdown.startswith("**dev costs $0.00 a month before usage. 7 lines depend on usage, assumed to be 0.**\n")
    for text in (markdown.replace("\\_", "_"), written(document, "table", 300), written(document, "html")):
        assert "7 lines depend on usage, assumed to be 0" in text
        assert "gpucluster cost usage init" in text
        assert RATES[0] in text
