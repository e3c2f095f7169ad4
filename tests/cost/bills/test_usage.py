"""The estimate with what a bill taught says the bill's month."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from tests.cost.bills.conftest import Reconcile, Trial, of, row_of
from tests.cost.bills.generator import HERE, changed, cheaper, until, write_csv

Found = Callable[..., dict[str, Any]]


def test_usage_and_prices_that_were_learned_make_the_estimate_the_bill_s_month(
    trial: Trial, reconcile: Reconcile, found: Found, tmp_path: Path
) -> None:
    """Hours, a discount, and gigabytes that no plan knows; the month of the estimate has 730 hours, October 744."""
    bill = changed(trial.bill(), "p5.48xlarge", until(25))
    bill = changed(bill, "p5.4xlarge", cheaper("0.85"))
    nat = next(item for item in bill if item.sku == "nat-gateway-hour")
    bill += [row_of(nat, sku="", meter="NatGateway-Bytes", unit="GB", quantity=Decimal(1200), cost=Decimal(54))]
    file, usage, prices = write_csv(tmp_path / "bill.csv", bill), tmp_path / "usage.yaml", tmp_path / "prices.csv"
    done = reconcile(file, options=("--write-usage", str(usage), "--write-prices", str(prices)))
    assert done.exit_code == 0, done.output
    assert usage.read_text().splitlines()[1:] == [
        "resources:",
        f'  "{trial.line("nat-gateway-hour").urn}":',
        "    nat_gib: 1200",
        f'  "{trial.line("p5.48xlarge").urn}":',
        "    hours_per_month: 588.709677419355",
    ]
    assert prices.read_text().splitlines()[1:] == [
        'aws,us-east-1,p5.4xlarge,instance-hour,on_demand,,5.848,2026-10-31,"bill bill.csv, 2026-10-01 to 2026-10-31"'
    ]

    given = ["cost", "report", str(trial.file), "--format", "json", "--usage", str(usage), "--prices", str(prices)]
    report = json.loads(CliRunner().invoke(main, given).stdout)
    month = sum(
        Decimal(line["billed"]) * (Decimal(730) / 744 if line["unit"].endswith("hour") else 1)
        for line in found(file)["lines"]
    )
    assert abs(Decimal(report["monthly"]["expected"]) - month) < Decimal("0.05")  # a cent for each of five lines
    again = found(file, options=("--usage", str(usage), "--prices", str(prices)))
    assert again["total"]["exact_by_line"] == "1.000000"
    assert again["learned"] == {"usage": {}, "prices": [], "not_learned": []}


@pytest.mark.parametrize("trial", ["azure"], indirect=True)
def test_a_price_that_the_book_lacks_is_learned(trial: Trial, found: Found, tmp_path: Path) -> None:
    """A tier that nobody sells, so that no row of the book will ever be for it."""
    trial.file = tmp_path / "plan.json"
    trial.file.write_text((HERE / "trials/azure.json").read_text().replace("AMLFS-Durable-Premium-125", "AMLFS-Test"))
    node = next(item for item in trial.bill(1) if item.tags)
    tags = {**node.tags, "name": "trial-storage-shared"}
    node = row_of(node, meter="Capacity", description="Lustre", tags=tags)
    storage = replace(node, unit="1 GB/Month", quantity=Decimal(32768), cost=Decimal("4751.36"))
    document = found(write_csv(tmp_path / "bill.csv", [*trial.bill(), storage]))
    assert of(document, "AMLFS-Test")["reasons"] == [
        {"kind": "unknown", "amount": "4751.36", "words": "the plan has no price"}
    ]
    assert [(each["sku"], each["usd_per_unit"]) for each in document["learned"]["prices"]] == [("AMLFS-Test", "0.145")]


def test_what_the_plan_itself_sets_is_said_to_be_beyond_a_usage_file(
    trial: Trial, found: Found, tmp_path: Path
) -> None:
    bill = changed(trial.bill(), "fsx-lustre-persistent2-ssd-125",
                   lambda item: replace(item, quantity=(item.quantity or 0) * 2, cost=item.cost * 2))  # fmt: skip
    document = found(write_csv(tmp_path / "bill.csv", bill))
    assert [each["name"] for each in document["learned"]["not_learned"]] == [
        "Lustre PERSISTENT_2 SSD, 125 MB/s per TiB"
    ]


def test_no_file_is_written_over(trial: Trial, reconcile: Reconcile, tmp_path: Path) -> None:
    file = write_csv(tmp_path / "bill.csv", trial.bill(1))
    done = reconcile(file, options=("--write-usage", str(file)))
    assert (done.exit_code, "bill.csv exists; name a file that does not" in done.output) == (2, True)


def test_hours_of_a_reservation_at_no_price_are_not_counted_twice_and_teach_no_price(
    trial: Trial, found: Found, tmp_path: Path
) -> None:
    """AWS states them beside the machines that run in it."""
    bill = trial.bill()
    machines = [item for item in bill if item.sku == "p5.48xlarge"]
    free = [
        row_of(item, meter="Reservation:p5.48xlarge", unit=item.unit, quantity=item.quantity, cost=Decimal(0))
        for item in machines
    ]
    without, beside = (
        found(write_csv(tmp_path / f"{name}.csv", rows)) for name, rows in (("a", bill), ("b", [*bill, *free]))
    )
    billed = [of(document, "5 x p5.48xlarge")["billed_quantity"] for document in (without, beside)]
    assert (free != [], billed[0] == billed[1]) == (True, True)
    assert beside["learned"]["prices"] == without["learned"]["prices"] == []
