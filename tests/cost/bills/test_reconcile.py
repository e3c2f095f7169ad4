"""Generated bills of the three trials with known differences: each is named, in its amount."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpucluster.core.program.resources import urn_name
from tests.cost.bills.conftest import Reconcile, Trial, of, row_of
from tests.cost.bills.generator import CUR2, changed, cheaper, until, write_csv, write_parquet
from tests.says import Says

Found = Callable[..., dict[str, Any]]
CLOUDS = ["aws", "gcp", "azure"]


@pytest.mark.parametrize("trial", CLOUDS, indirect=True)
def test_a_bill_of_what_was_planned_is_exact(trial: Trial, found: Found, tmp_path: Path) -> None:
    labelled = [item for item in trial.bill() if item.tags]
    document = found(write_csv(tmp_path / "bill.csv", labelled))
    assert document["not_in_plan"] == []
    assert [line["name"] for line in document["lines"] if line["reasons"]] == (
        ["Cloud NAT gateway", "NAT address"] if trial.cloud == "gcp" else []
    )


def test_all_forms_say_the_same(trial: Trial, reconcile: Reconcile, tmp_path: Path) -> None:
    bill = trial.bill()
    files = [
        write_csv(tmp_path / "focus.csv", bill),
        write_parquet(tmp_path / "focus.parquet", bill),
        write_csv(tmp_path / "cur2.csv", bill, CUR2),
        write_parquet(tmp_path / "cur2.parquet", bill, CUR2),
    ]
    first, *others = [reconcile(file).output for file in files]
    assert "100.0% accurate in total and 100.0% line by line" in first
    assert others == [first] * 3


@dataclass
class Names:
    """What is changed on the bill of a cloud, by SKU."""

    training: str
    elastic: str
    loose: str
    gone: str


NAMES = {
    "aws": Names("p5.48xlarge", "p5.4xlarge", "public-ipv4-hour", "kms-key"),
    "gcp": Names("a3-megagpu-8g", "a3-highgpu-1g", "cloud-nat-gateway-vm-hour", "cloud-kms-software-key-version"),
    "azure": Names(
        "Standard_ND96isr_H100_v5", "Standard_NC40ads_H100_v5", "public-ip-standard-hour", "aks-standard-tier"
    ),
}


@pytest.mark.parametrize("trial", CLOUDS, indirect=True)
def test_every_known_difference_is_named(trial: Trial, reconcile: Reconcile, found: Found, tmp_path: Path) -> None:
    """Hours fewer, a discount, storage used more, a line without labels, one that is missing, a machine that nobody
    planned, a credit, a tax, and yen.
    """
    names, bill = NAMES[trial.cloud], trial.bill()
    one = next(item for item in bill if item.sku == names.training)
    gone = [line.sku for line in trial.lines if line.name.lower().endswith("kms key")]
    bill = changed(bill, names.training, until(25))
    bill = changed(bill, names.elastic, cheaper("0.85"))
    bill = changed(bill, names.loose, lambda item: replace(item, tags={}))
    bill = changed(bill, gone[0] if gone else names.gone, lambda _: None)
    tags = {**one.tags, "Name" if trial.cloud == "aws" else "name": "debug"}
    bill += [
        row_of(one, meter="DataTransfer", description="Debug machine", unit="Items", quantity=Decimal(7),
               cost=Decimal("12.34"), tags=tags, resource="debug-1"),
        row_of(one, category="Credit", description="Promotion", meter="", cost=Decimal(-500)),
        row_of(one, category="Tax", description="VAT", meter="", cost=Decimal("19.99"), tags={}),
        row_of(one, currency="JPY", cost=Decimal(1000)),
    ]  # fmt: skip
    file = write_csv(tmp_path / "bill.csv", bill)

    document = found(file)
    training, elastic = trial.line(names.training), trial.line(names.elastic)
    hours, price = _reason(document, training.name), _reason(document, elastic.name)
    assert (hours["kind"], Decimal(hours["amount"])) == ("hours", -round(5 * 24 * 6 * (training.price or 0), 2))
    assert price["kind"] == "price"
    assert [each["what"] for each in document["not_in_plan"]] == ["DataTransfer"]
    assert trial.line(names.loose).name in {each["may_be"]["name"] for each in document["unlabelled"]}
    missing = {line["name"] for line in document["lines"] if [each["kind"] for each in line["reasons"]] == ["missing"]}
    assert len(missing) == (3 if trial.cloud == "gcp" else 2)
    assert document["apart"] == [{"kind": "Credit", "invoiced": "-500.00", "effective": "-500.00", "rows": 1}]
    assert document["apart_elsewhere"] == [{"kind": "Tax", "invoiced": "19.99", "effective": "19.99", "rows": 1}]
    assert document["other_currencies"] == [{"currency": "JPY", "billed": "1000.00", "rows": 1}]
    for form in ("table", "markdown", "csv") if trial.cloud == "aws" else ("table",):
        golden = Path(__file__).parent / "golden" / f"{trial.cloud}.{form}.txt"
        said = reconcile(file, options=("--format", form)).output
        if "UPDATE_GOLDEN" in os.environ:
            golden.write_text(said)
        assert said == golden.read_text()


def _reason(document: dict[str, Any], name: str) -> dict[str, Any]:
    [reason] = of(document, name)["reasons"]
    return reason


def test_reasons_add_up_to_the_difference(trial: Trial, found: Found, tmp_path: Path) -> None:
    bill = changed(trial.bill(), "p5.48xlarge", until(20))
    bill = changed(changed(bill, "p5.48xlarge", cheaper("0.7")), "ebs-gp3", cheaper("1.25"))
    document = found(write_csv(tmp_path / "bill.csv", bill))
    for line in document["lines"]:
        if line["planned"] is not None:
            parts = sum(Decimal(reason["amount"]) for reason in line["reasons"])
            assert abs(Decimal(line["billed"]) - Decimal(line["planned"]) - parts) < Decimal("0.02"), line["name"]
    assert [each["kind"] for each in of(document, "5 x p5.48xlarge")["reasons"]] == ["hours", "price"]


def test_a_commitment_is_told_from_a_price_and_the_invoice_from_what_it_comes_to(
    trial: Trial, found: Found, tmp_path: Path
) -> None:
    """A savings plan at 60 %: nothing on the invoice for the hours, its fee is a purchase apart."""
    bill = changed(
        trial.bill(), "p5.48xlarge", lambda item: replace(cheaper("0.6")(item), billed=Decimal(0), commitment="sp-1")
    )
    fee = row_of(
        bill[0], category="Purchase", cost=Decimal(0), billed=Decimal("122849.28"), meter="", tags=bill[0].tags
    )
    document = found(write_csv(tmp_path / "bill.csv", [*bill, fee]))
    line = of(document, "5 x p5.48xlarge")
    assert [each["kind"] for each in line["reasons"]] == ["commitment"]
    assert (line["billed"], line["invoiced"]) == ("122849.28", "0.00")
    assert document["apart"] == [{"kind": "Purchase", "invoiced": "122849.28", "effective": "0.00", "rows": 1}]


def test_aws_s_own_line_types_are_read_as_they_amortise(trial: Trial, found: Found, tmp_path: Path) -> None:
    """A savings plan in CUR 2.0: covered usage at its effective cost, the negation beside it in no sum of the line."""
    covered = changed(trial.bill(), "p5.48xlarge", lambda item: replace(cheaper("0.6")(item), commitment="sp-1"))
    covered = [replace(item, billed=item.cost / Decimal("0.6")) if item.commitment else item for item in covered]
    negated = [replace(item, category="SavingsPlanNegation", billed=-item.invoiced, commitment="", cost=Decimal(0))
               for item in covered if item.commitment]  # fmt: skip
    document = found(write_csv(tmp_path / "cur.csv", [*covered, *negated], CUR2))
    line = of(document, "5 x p5.48xlarge")
    assert (line["billed"], line["invoiced"]) == ("122849.28", "204748.80")
    assert document["apart"] == [{"kind": "Purchase", "invoiced": "-204748.80", "effective": "0.00", "rows": 31}]


def test_days_are_pro_rata_and_can_be_asked_for(trial: Trial, found: Found, tmp_path: Path) -> None:
    file = write_csv(tmp_path / "bill.csv", trial.bill())
    document = found(file, options=("--from", "2026-10-11", "--to", "2026-10-21"))
    assert (document["from"], document["to"]) == ("2026-10-11T00:00:00", "2026-10-21T00:00:00")
    line = of(document, "5 x p5.48xlarge")
    assert (line["planned"], line["billed"]) == ("66048.00", "66048.00")  # 5 x 240 h x 55.04
    assert document["total"]["exact_by_line"] == "1.000000"


def test_a_bill_of_another_stack_is_refused_with_the_labels_that_were_looked_for(
    trial: Trial, reconcile: Reconcile, tmp_path: Path
) -> None:
    other = [replace(item, tags={"pulumi-stack": "other"}) for item in trial.bill(2)]
    done = reconcile(write_csv(tmp_path / "bill.csv", other))
    assert done.exit_code == 2
    assert done.output == Says("cost_center=cc-1234", "environment=trial")


def test_a_state_finds_its_resources_by_their_ids_without_any_label(trial: Trial, found: Found, tmp_path: Path) -> None:
    """The control plane and the file system carry no labels on this bill; their ids are those of the state."""
    records = [step["newState"] for step in json.loads(trial.file.read_text())["steps"]]
    ids = {"trial-control-plane-cluster": "arn:aws:eks:us-east-1:1:cluster/trial",
           "trial-storage-shared": "arn:aws:fsx:us-east-1:1:file-system/fs-1"}  # fmt: skip
    for record in records:
        name = urn_name(record["urn"])
        record["outputs"] = record.get("inputs", {}) | ({"arn": ids[name]} if name in ids else {})
    trial.file = tmp_path / "state.json"
    trial.file.write_text(json.dumps({"version": 3, "deployment": {"resources": records}}))
    skus = {"eks-cluster-standard-support": "trial-control-plane-cluster",
            "fsx-lustre-persistent2-ssd-125": "trial-storage-shared"}  # fmt: skip
    bill = [
        replace(item, tags={}, resource=ids[skus[item.sku]].upper()) if item.sku in skus else item
        for item in trial.bill()
    ]
    document = found(write_csv(tmp_path / "bill.csv", bill))
    assert (document["unlabelled"], document["total"]["exact_by_line"]) == ([], "1.000000")
