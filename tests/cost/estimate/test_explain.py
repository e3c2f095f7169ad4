"""Which lines a person means, and what is said of them."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gpucluster.core.documents.formats import written
from gpucluster.core.program.readers.files import read_text
from gpucluster.core.program.resources import Resource
from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.documents.report.explanation import explanation_document
from gpucluster.cost.estimate.explain import NoSuchLine, explain
from tests.says import Says

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]


@pytest.fixture
def found(recordings: Path, book: PriceBook) -> Estimate:
    return estimate(read_text((recordings / "plan.json").read_text(), "plan.json"), book)


def test_a_number_is_the_line_with_that_number_in_the_report(found: Estimate) -> None:
    for number, line in enumerate(found.lines, 1):
        assert explain(found, str(number)).lines == ((number, line),)


def test_a_name_or_a_urn_is_every_line_of_a_resource(found: Estimate) -> None:
    lines = explain(found, "train-nodes").lines
    assert [(number, line.name) for number, line in lines] == [
        (1, "5 x p5.48xlarge on demand"),
        (2, "root disks, gp3"),
        (3, "root disks, gp3: IOPS above 3000"),
    ]
    assert explain(found, lines[0][1].urn).lines == lines


def test_a_line_has_its_formula_source_date_and_assumption(found: Estimate, book: PriceBook) -> None:
    assert written(explanation_document(explain(found, "4"), found, book.today), "table").splitlines() == [
        Says("4", "p5.4xlarge", "elastic-pool", "$10,044.80"),
        "  part       elastic",
        Says("2", "730", "=", "1,460", "instance-hour", "$6.88", "=", "$10,044.80"),
        "  floor      0 x $6.88 = $0.00",
        "  ceiling    5,840 x $6.88 = $40,179.20",
        Says("$6.88", "instance-hour", "us-east-1"),
        Says("source", "ewyluda/gpu-price-index@ab49c80:data/observations/2026/2026-10-10.csv"),
        "  date       2026-10-10, 42 days ago",
        Says("confidence", "official", "90"),
        Says("GPUs", "elastic-pool", "2", "gpucluster/expected-gpus"),
        "  resource",
        "    urn:pulumi:dev::example::example:index:Elastic$kubernetes:karpenter.sh/v1:NodePool::elastic-pool",
    ]


def test_what_is_free_or_has_no_price_says_why(found: Estimate, make: Make, cost_of: CostOf, book: PriceBook) -> None:
    assert written(explanation_document(explain(found, "role"), found, book.today), "table").splitlines() == [
        "role (aws:iam/role:Role): free",
        "  why    IAM has no charge",
        Says("source", "https://aws.amazon.com/iam/faqs/"),
    ]
    far = cost_of(make("aws:ebs/volume:Volume", "far", type="gp3", size=100), region="xx-nowhere-1")
    title, why, *_, own = written(explanation_document(explain(far, "far"), far, book.today), "table").splitlines()
    assert title == Says("aws:ebs/volume:Volume", "not", "priced", "not")
    assert why == Says("no", "ebs-gp3", "on_demand", "xx-nowhere-1", "GiB-month")
    assert own == Says("aws,xx-nowhere-1,ebs-gp3,GiB-month,on_demand")


def test_capacity_in_a_reservation_shows_what_it_is_worth(make: Make, cost_of: CostOf, book: PriceBook) -> None:
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    held = make("aws:ec2/instance:Instance", "held", instanceType="p5.48xlarge",
                capacityReservationSpecification=target)  # fmt: skip
    estimated = cost_of(held)
    rows = written(explanation_document(explain(estimated, "held"), estimated, book.today), "table")
    assert "  formula    1 x 730 h = 730 instance-hour x $55.04 = $40,179.20, rounded to the cent\n" in rows
    assert "  committed  elsewhere: bought outside this stack, and part of its total\n" in rows


def test_the_document_for_machines_has_the_line_of_the_report(found: Estimate) -> None:
    document = explanation_document(explain(found, "1"), found, datetime.date(2026, 11, 21))
    (line,) = json.loads(written(document, "json"))["lines"]
    assert (line["number"], line["monthly"], line["unit_price"]) == (1, "200896.00", "55.04")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("0", "'0' is not a line; write a number from 1 to 17, or the name of a resource"),
        ("18", "'18' is not a line; write a number from 1 to 17, or the name of a resource"),
        ("train-nods", "did you mean train-nodes"),
        ("zzz", "or a line's number from 1 to 17; most expensive: train-nodes, elastic-pool, shared"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(found: Estimate, asked: str, message: str) -> None:
    with pytest.raises(NoSuchLine) as error:
        explain(found, asked)
    assert message in str(error.value)
