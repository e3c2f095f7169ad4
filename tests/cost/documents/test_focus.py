"""The estimate as FOCUS, held against the specification's own rules.

`focus.csv`: the content constraints and allowed values of every column, written from
FinOps-Open-Cost-and-Usage-Spec/FOCUS_Spec, specification/columns at v1.2 (7296e31), and for 1.3 and 1.4
specification/datasets/cost_and_usage (f1eeb30); ServiceSubcategory as category/subcategory. The formats are those of
specification/attributes there.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.cost.documents.focus import unit_of
from gpucluster.cost.prices import PriceBook

TRIALS = Path(__file__).parents[1] / "bills/trials"
_TEXT = Path(__file__).with_name("focus.csv").read_text()
ALL = {row["column"]: row for row in csv.DictReader(_TEXT.splitlines())}
VERSIONS = {"focus": "1.2", "focus-1.3": "1.3", "focus-1.4": "1.4"}
RULES = {
    form: {
        name: rule
        for name, rule in ALL.items()
        if rule["since"] <= version and (not rule["until"] or version <= rule["until"])
    }
    for form, version in VERSIONS.items()
}
FORMATS = {
    "Numeric Format": re.compile(r"-?\d+(\.\d+)?(E-?\d+)?"),
    "Date/Time Format": re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z"),
    "Currency Format": re.compile(r"[A-Z]{3}"),
    "Unit Format": re.compile(
        r"(\d+ )?([A-Z]\w*-)?(Years|Months|Days|Hours|Minutes|Seconds)|\d+ [A-Z]\w*s|[KMGTPE]i?[Bb]|[A-Z]\w*s"
    ),
}


def faults(text: str, form: str = "focus") -> Iterator[str]:
    """What breaks a rule of the specification."""
    rules = RULES[form]
    reader = csv.DictReader(io.StringIO(text))
    columns = list(reader.fieldnames or [])
    yield from (f"no {name}" for name, rule in rules.items() if rule["level"] == "Mandatory" and name not in columns)
    own = [name.startswith("x_") for name in columns]
    if own != sorted(own):
        yield "columns of our own stand among those of FOCUS"
    yield from (f"{name} is no column of FOCUS" for name in columns if name not in rules and not name.startswith("x_"))
    for row in reader:
        for name, value in row.items():
            if name in rules:
                yield from (f"{name} {why}: {value!r}" for why in _of_value(rules[name], value))
        yield from _of_row(row)


def _of_value(rule: dict[str, str], value: str) -> Iterator[str]:
    if not value:
        yield from ["is null"] * (rule["nulls"] == "no")
        return
    if rule["format"] in FORMATS and not FORMATS[rule["format"]].fullmatch(value):
        yield f"is not of {rule['format']}"
    if "non-negative" in rule["range"] and Decimal(value) < 0:
        yield "is negative"
    if rule["allowed"] and rule["column"] != "ServiceSubcategory" and value not in rule["allowed"].split("|"):
        yield "is not allowed"
    if rule["format"].lower().startswith("key") and not all(
        isinstance(each, str) for each in json.loads(value).values()
    ):
        yield "has values that are no texts"


def _of_row(row: dict[str, str]) -> Iterator[str]:
    """Rules that hold between columns, for a row whose ChargeCategory is Usage."""
    for price, cost in (("ListUnitPrice", "ListCost"), ("ContractedUnitPrice", "ContractedCost")):
        if Decimal(row[price]) * Decimal(row["PricingQuantity"]) != Decimal(row[cost]):
            yield f"{price} x PricingQuantity is not {cost}"
    needed = ("ListUnitPrice", "ContractedUnitPrice", "PricingQuantity", "PricingUnit", "PricingCategory", "SkuId",
              "SkuPriceId", "ConsumedQuantity", "ConsumedUnit", "ResourceId")  # fmt: skip
    yield from (f"{name} is null for usage" for name in needed if not row[name])
    if f"{row['ServiceCategory']}/{row['ServiceSubcategory']}" not in ALL["ServiceSubcategory"]["allowed"].split("|"):
        yield f"{row['ServiceSubcategory']} is none of {row['ServiceCategory']}"
    if not row["ChargePeriodStart"] < row["ChargePeriodEnd"]:
        yield "the period ends before it starts"


def focus_of(cloud: str, form: str = "focus") -> tuple[str, str]:
    done = CliRunner().invoke(main, ["cost", "report", str(TRIALS / f"{cloud}.json"), "--format", form])
    assert done.exit_code in (0, 1), done.output
    return done.stdout, done.stderr


@pytest.mark.parametrize("form", VERSIONS)
@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_a_trial_is_written_as_the_specification_wants_it(cloud: str, form: str) -> None:
    text, said = focus_of(cloud, form)
    assert list(faults(text, form)) == []
    rows = list(csv.DictReader(io.StringIO(text)))
    report = ["cost", "report", str(TRIALS / f"{cloud}.json"), "--format", "json"]
    document = json.loads(CliRunner().invoke(main, report).stdout)
    assert [round(Decimal(row["BilledCost"]), 2) for row in rows] == [
        Decimal(line["monthly"]) for line in document["lines"]
    ]
    assert {row["x_Estimate"] for row in rows} == {"true"}
    assert {row["x_Complete"] for row in rows} == {"true" if document["complete"] else "false"}
    assert ("not priced, and not in the rows" in said) == (not document["complete"])
    assert {json.loads(row["Tags"]).get("team") for row in rows} <= {"research", None}


@pytest.mark.parametrize(
    "change, fault",
    [
        (("Usage,", "Use,"), "ChargeCategory is not allowed: 'Use'"),
        (("BilledCost,", "Billed,"), "no BilledCost"),
        (("USD", "dollars"), "BillingCurrency is not of Currency Format: 'dollars'"),
        (("Instance-Hours", "instance hours"), "PricingUnit is not of Unit Format: 'instance hours'"),
        (("Standard,", ","), "PricingCategory is null for usage"),
        ((",Compute,", ",Storage,"), "Virtual Machines is none of Storage"),
    ],
)
def test_a_broken_rule_is_found(change: tuple[str, str], fault: str) -> None:
    text, _ = focus_of("aws")
    assert fault in set(faults(text.replace(*change)))


def test_every_unit_of_the_book_has_a_form_in_focus() -> None:
    book = PriceBook()
    units = {row.unit for name in book.providers for row in book.rows(name) if row.kind != "support"}
    assert {unit: unit_of(unit) for unit in units if not FORMATS["Unit Format"].fullmatch(unit_of(unit))} == {}


def test_a_bill_can_be_read_from_it_and_is_exact(tmp_path: Path) -> None:
    """What one command writes, the other reads."""
    text, _ = focus_of("aws")
    (tmp_path / "focus.csv").write_text(text)
    bill = ["cost", "reconcile", str(TRIALS / "aws.json"), "--bill", str(tmp_path / "focus.csv"), "--format", "json"]
    document = json.loads(CliRunner().invoke(main, bill).stdout)
    assert [
        line["name"] for line in document["lines"] if line["billed_quantity"] == "0" and line["planned"] != "0.00"
    ] == []


@pytest.mark.parametrize("form", ["focus", "focus-1.3"])
def test_a_column_of_another_version_is_found(form: str) -> None:
    text, _ = focus_of("aws", form)
    assert set(faults(text, "focus-1.4")) >= {
        "ProviderName is no column of FOCUS",
        "PublisherName is no column of FOCUS",
    }


def test_machines_of_a_reservation_name_it_as_the_commitment_that_was_applied(tmp_path: Path) -> None:
    """Reconciling with a bill of the same version finds the commitment again."""
    document = json.loads((TRIALS / "aws.json").read_text())
    [template] = [
        step["newState"] for step in document["steps"]
        if "launchTemplate" in step["newState"]["type"] and "training" in step["urn"]
    ]  # fmt: skip
    template["inputs"]["capacityReservationSpecification"] = {
        "capacityReservationTarget": {"capacityReservationId": "cr-0123"}
    }
    (tmp_path / "plan.json").write_text(json.dumps(document))
    done = CliRunner().invoke(main, ["cost", "report", str(tmp_path / "plan.json"), "--format", "focus-1.4"])
    applied = {row["SkuMeter"]: row["ContractApplied"] for row in csv.DictReader(io.StringIO(done.stdout))}
    assert {sku: json.loads(text) for sku, text in applied.items() if text} == {
        "p5.48xlarge": {"Elements": [{
            "ContractId": "cr-0123", "ContractCommitmentId": "cr-0123", "ContractCommitmentAppliedQuantity": 3650,
            "ContractCommitmentAppliedUnit": "Instance-Hours",
        }]}
    }  # fmt: skip
