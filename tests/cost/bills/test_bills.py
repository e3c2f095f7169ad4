"""Whole bills as clouds write them, each with the exact amounts, reasons and prices that it gives."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpucluster.core.program.readers.files import read_text
from gpucluster.cost import PriceBook, estimate
from gpucluster.cost.bills.planned import planned_lines
from tests.cost.bills.conftest import Trial, of, row_of
from tests.cost.bills.generator import CUR2, FIRST, FOCUS, FOCUS_1_4, Item, changed, cheaper, until, write_csv

Found = Callable[..., dict[str, Any]]
Form = dict[str, Callable[[Item], Any]]
HOURS = Decimal(5 * 744)
RESERVED = "arn:aws:ec2:us-east-1:1:capacity-reservation/cr-1"
PLANNED = "204748.80"  # 5 x 744 h x 55.04


def machines(bill: Sequence[Item], sku: str = "p5.48xlarge") -> list[Item]:
    return [item for item in bill if item.sku == sku]


def free(bill: Sequence[Item], meter: str, share: int = 1) -> list[Item]:
    """Rows at rate 0 that name the machines of the bill."""
    return [
        row_of(item, meter=f"{meter}:p5.48xlarge", description=f"$0.00 per {meter} p5.48xlarge hour", unit="Hrs",
               quantity=(item.quantity or 0) / share, cost=Decimal(0), resource=RESERVED)
        for item in machines(bill)
    ]  # fmt: skip


def edp(bill: list[Item]) -> list[Item]:
    """A tenth less, as a line item beside each hour of usage."""
    return bill + [
        row_of(item, category="EdpDiscount", meter=item.meter, unit=item.unit, quantity=item.quantity,
               cost=-item.cost / 10, description="Enterprise Program Discount")
        for item in machines(bill)
    ]  # fmt: skip


def apart(*rows: tuple[str, str]) -> Callable[[list[Item]], list[Item]]:
    """Rows of other categories, with the labels of the stack."""

    def build(bill: list[Item]) -> list[Item]:
        one = machines(bill)[0]
        return bill + [
            row_of(one, category=category, meter="", description=category, cost=Decimal(amount))
            for category, amount in rows
        ]

    return build


def split(bill: list[Item]) -> list[Item]:
    """Split cost allocation: a row for each pod, at no cost of its own, with the cluster's tags of AWS."""
    return bill + [
        row_of(item, meter=f"USE1-EKS-EC2-{unit}-Hours", description=f"{unit} hours of a pod on p5.48xlarge",
               unit="Hrs", quantity=Decimal(24), cost=Decimal(0), resource="pod-1",
               tags={"aws:eks:cluster-name": "trial"})
        for item in machines(bill)
        for unit in ("vCPU", "GB", "Accelerator")
    ]  # fmt: skip


def unused(bill: list[Item]) -> list[Item]:
    """Four of five machines run, the fifth is reserved and idle; AWS repeats the hours of the reservation at rate 0."""
    four = changed(bill, "p5.48xlarge", lambda item: replace(item, quantity=(item.quantity or 0) * 4 / 5,
                                                            cost=item.cost * 4 / 5))  # fmt: skip
    idle = [
        replace(item, meter="UnusedBox:p5.48xlarge", quantity=(item.quantity or 0) / 5, cost=item.cost / 5,
                resource=RESERVED)
        for item in machines(bill)
    ]  # fmt: skip
    return [*four, *idle, *free(bill, "Reservation"), *free(bill, "DedicatedRes")]


def savings_plan(bill: list[Item]) -> list[Item]:
    """Three of five machines at 0.6 of the price, the others on demand."""
    rows: list[Item] = []
    for item in bill:
        if item.sku != "p5.48xlarge":
            rows.append(item)
            continue
        hours = item.quantity or Decimal(0)
        rows.append(replace(item, quantity=hours * 2 / 5, cost=item.cost * 2 / 5))
        rows.append(
            replace(item, quantity=hours * 3 / 5, cost=item.cost * 3 / 5 * Decimal("0.6"), billed=item.cost * 3 / 5,
                    commitment="arn:aws:savingsplans::1:savingsplan/sp-1", resource=f"{item.resource}-sp")
        )  # fmt: skip
    return rows


def spot(bill: list[Item]) -> list[Item]:
    return changed(bill, "p5.48xlarge", lambda item: replace(cheaper("0.35")(item), meter="SpotUsage:p5.48xlarge"))


def corrected(bill: list[Item]) -> list[Item]:
    one = machines(bill)[0]
    return [*bill, row_of(one, cost=Decimal(-1000), correction="Correction", description="Usage of September")]


def accounts(bill: list[Item]) -> list[Item]:
    """Two of five machines in another account of the company."""
    two = [
        replace(item, account="account-2", quantity=(item.quantity or 0) * 2 / 5, cost=item.cost * 2 / 5,
                resource=f"{item.resource}-2")
        for item in machines(bill)
    ]  # fmt: skip
    three = changed(bill, "p5.48xlarge", lambda item: replace(item, quantity=(item.quantity or 0) * 3 / 5,
                                                              cost=item.cost * 3 / 5))  # fmt: skip
    return [*three, *two]


def yen(bill: list[Item]) -> list[Item]:
    return [*bill, *(row_of(item, currency="JPY", meter=item.meter, unit="Hrs", quantity=Decimal(24), cost=Decimal(150))
                     for item in machines(bill)[:2])]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Case:
    """billed, invoiced, hours: of the training machines. reasons: kind and amount. apart: kind and amount."""

    build: Callable[[list[Item]], list[Item]]
    forms: tuple[Form, ...] = (CUR2, FOCUS, FOCUS_1_4)
    billed: str = PLANNED
    invoiced: str = PLANNED
    hours: Decimal = HOURS
    reasons: Sequence[tuple[str, str]] = ()
    apart: Sequence[tuple[str, str]] = ()
    currencies: Sequence[tuple[str, str]] = ()
    learned: Sequence[tuple[str, str]] = ()
    usage: Sequence[str] = field(default_factory=list)


CASES = {
    "as planned": Case(build=lambda bill: bill),
    "enterprise discount": Case(
        build=edp, forms=(CUR2,), billed="184273.92", invoiced="184273.92", reasons=[("price", "-20474.88")],
        learned=[("on_demand", "49.536")],
    ),
    "tax, credit and refund": Case(
        build=apart(("Tax", "19.99"), ("Credit", "-500"), ("Refund", "-7.5")), forms=(CUR2,),
        apart=[("Credit", "-500.00"), ("Refund", "-7.50"), ("Tax", "19.99")],
    ),
    "split cost allocation": Case(build=split),
    "unused reservation": Case(build=unused),
    "hours of a reservation at rate 0": Case(build=lambda bill: [*bill, *free(bill, "Reservation")]),
    "hours of hosts at rate 0": Case(build=lambda bill: [*bill, *free(bill, "HostBoxUsage"), *free(bill, "Hold", 2)]),
    "savings plan and its overflow": Case(
        build=savings_plan, billed="155609.09", reasons=[("commitment", "-49139.71")],
    ),
    "spot market": Case(
        build=spot, billed="71662.08", invoiced="71662.08", reasons=[("price", "-133086.72")],
    ),
    "fewer hours": Case(
        build=lambda bill: changed(bill, "p5.48xlarge", until(25)), billed="165120.00", invoiced="165120.00",
        hours=Decimal(3000), reasons=[("hours", "-39628.80")], usage=["hours_per_month"],
    ),
    "correction": Case(build=corrected, forms=(FOCUS, FOCUS_1_4), apart=[("Correction", "-1000.00")]),
    "other currency": Case(build=yen, currencies=[("JPY", "300.00")]),
    "several accounts": Case(build=accounts),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_bill_is_right_to_the_cent(name: str, trial: Trial, found: Found, tmp_path: Path) -> None:
    case = CASES[name]
    for number, form in enumerate(case.forms):
        document = found(write_csv(tmp_path / f"{number}.csv", case.build(trial.bill()), form))
        line = of(document, "5 x p5.48xlarge")
        assert (line["billed"], line["invoiced"], Decimal(line["billed_quantity"])) == (
            case.billed, case.invoiced, case.hours,
        )  # fmt: skip
        assert [(each["kind"], each["amount"]) for each in line["reasons"]] == list(case.reasons)
        assert [(each["kind"], each["invoiced"]) for each in document["apart"]] == list(case.apart)
        assert [(each["currency"], each["billed"]) for each in document["other_currencies"]] == list(case.currencies)
        prices = [(each["bought"], each["usd_per_unit"]) for each in document["learned"]["prices"]]
        assert prices == list(case.learned)
        assert [name for values in document["learned"]["usage"].values() for name in values] == list(case.usage)
        assert document["not_in_plan"] == []


def test_parts_of_one_delivery_without_ids_lose_no_owner_s_money_in_any_order(
    trial: Trial, found: Found, tmp_path: Path
) -> None:
    """Rows of two stacks differ by their tags alone; a later delivery of one part counts once."""
    own = [replace(item, resource="") for item in trial.bill()]
    other = [replace(item, tags={**item.tags, "pulumi-stack": "other"}) for item in own if item.tags]
    whole = {}
    for form, name in ((CUR2, "cur"), (FOCUS, "focus")):
        ours, theirs, again, both = (
            write_csv(tmp_path / f"{name}-{part}.csv", rows, form)
            for part, rows in (("ours", own), ("theirs", other), ("again", own), ("both", [*own, *other]))
        )
        for files in ((ours, theirs), (theirs, ours), (ours, theirs, again), (again, both)):
            document = found(*files)
            assert document["total"]["exact_by_line"] == "1.000000", (name, files)
            whole[(name, len(files), files[0] == ours)] = document["repeated_rows"]
    assert whole == {
        ("cur", 2, True): 0, ("cur", 2, False): len(own), ("cur", 3, True): len(own),
        ("focus", 2, True): 0, ("focus", 2, False): len(own), ("focus", 3, True): len(own),
    }  # fmt: skip


def test_a_row_that_one_file_has_more_often_counts_as_often_in_any_order(
    trial: Trial, found: Found, tmp_path: Path
) -> None:
    bill = trial.bill()
    day = next(item for item in machines(bill) if item.day == FIRST)
    twice = write_csv(tmp_path / "twice.csv", [*bill, day])
    once = write_csv(tmp_path / "once.csv", bill)
    billed = [of(found(*files), "5 x p5.48xlarge")["billed"] for files in ((twice, once), (once, twice))]
    assert billed == [str(Decimal(PLANNED) + round(day.cost, 2))] * 2


RESERVATION = "cr-0123456789abcdef0"
FEE = Decimal("41.528") * 8 * 24 * 14


@pytest.fixture
def block(trial: Trial, tmp_path: Path) -> Trial:
    """The trial with its training machines in a capacity block of 8 for 14 days."""
    document = json.loads(trial.file.read_text())
    for step in document["steps"]:
        record = step["newState"]
        if record["type"] == "aws:ec2/launchTemplate:LaunchTemplate" and "training" in record["urn"]:
            record["inputs"]["capacityReservationSpecification"] = {
                "capacityReservationTarget": {"capacityReservationId": RESERVATION}
            }
        if record["type"] == "aws:eks/nodeGroup:NodeGroup" and "training" in record["urn"]:
            record["inputs"]["capacityType"] = "CAPACITY_BLOCK"
    trial.file = tmp_path / "block.json"
    trial.file.write_text(json.dumps(document))
    trial.resources = read_text(trial.file.read_text(), trial.file.name)
    trial.lines = planned_lines(estimate(trial.resources, PriceBook()))
    return trial


def block_bill(block: Trial, first: int, last: int) -> list[Item]:
    """The machines of the block at $0.00 on some days, five of its eight in use."""
    bill = [
        replace(item, quantity=Decimal(120), cost=Decimal(0), price=Decimal(0), operation="RunInstances:CB")
        if item.sku == "p5.48xlarge"
        else item
        for item in block.bill()
    ]
    return [item for item in bill if item.sku != "p5.48xlarge" or first <= item.day.day <= last]


def fee_of(bill: Sequence[Item], **changes: Any) -> Item:
    one = min(machines(bill), key=lambda item: item.day)
    fee = {"category": "Fee", "meter": "USE1-CapacityBlockFee:p5.48xlarge", "description": "Capacity Block fee",
           "cost": FEE, "tags": {}, "resource": f"arn:aws:ec2:us-east-1:1:capacity-reservation/{RESERVATION}",
           "operation": ""}  # fmt: skip
    return row_of(one, **{**fee, **changes})


def focus_fee(bill: Sequence[Item], **changes: Any) -> Item:
    return fee_of(bill, **{"category": "Purchase", "cost": Decimal(0), "billed": FEE, **changes})


BLOCK_LINE = "8 x p5.48xlarge in reservation"
WHOLE = ("111627.26", "111627.26", "2688")  # 8 x 336 h x 41.528


@pytest.mark.parametrize(
    "rows, form, days, amounts",
    [
        (lambda bill: [fee_of(bill)], CUR2, (5, 18), WHOLE),
        (lambda bill: [fee_of(bill, resource="")], CUR2, (5, 18), WHOLE),
        (lambda bill: [focus_fee(bill)], FOCUS, (5, 18), WHOLE),
        (lambda bill: [focus_fee(bill, resource="block-1", contract=json.dumps({"Elements": [
            {"ContractId": "1", "ContractCommitmentId": RESERVATION, "ContractCommitmentAppliedCost": 111627.26}]}))],
         FOCUS_1_4, (5, 18), WHOLE),
        (lambda bill: [fee_of(bill, cost=FEE * 2), fee_of(bill, category="Refund", cost=-FEE * 2), fee_of(bill)], CUR2,
         (5, 18), WHOLE),
        (lambda bill: [fee_of(bill), fee_of(bill, resource="arn:aws:ec2:us-east-1:1:capacity-reservation/cr-other")],
         CUR2, (5, 18), WHOLE),
        (lambda bill: [fee_of(bill)], CUR2, (25, 31), ("55813.63", "111627.26", "1344")),
        (lambda bill: [fee_of(bill), *free(bill, "Reservation")], CUR2, (5, 18), WHOLE),
    ],
)  # fmt: skip
def test_the_fee_of_a_block_pays_for_the_machines_in_it(
    block: Trial, found: Found, tmp_path: Path, rows: Callable[..., list[Item]], form: Form, days: tuple[int, int],
    amounts: tuple[str, str, str],
) -> None:  # fmt: skip
    """By the id of its reservation, on the row or in its contract; without one if it is the only fee. A part of the
    fee belongs to days after the bill.
    """
    bill = block_bill(block, *days)
    document = found(write_csv(tmp_path / "bill.csv", [*bill, *rows(bill)], form))
    line = of(document, BLOCK_LINE)
    assert (line["billed"], line["invoiced"], f"{Decimal(line['billed_quantity']).normalize():f}") == amounts
    assert document["apart"] == []
    assert [each["kind"] for each in line["reasons"]] == ["hours"]
    assert document["learned"]["prices"] == []


def test_the_hours_of_a_block_that_carry_its_fee_count_it_once(block: Trial, found: Found, tmp_path: Path) -> None:
    """AWS spreads the fee over EffectiveCost of the hours; the fee then has none."""
    bill = [
        replace(item, cost=FEE / 14, billed=Decimal(0)) if item.sku == "p5.48xlarge" else item
        for item in block_bill(block, 5, 18)
    ]
    document = found(write_csv(tmp_path / "bill.csv", [*bill, focus_fee(bill)], FOCUS))
    line = of(document, BLOCK_LINE)
    assert (line["billed"], line["invoiced"]) == ("111627.26", "111627.26")


def test_several_fees_without_an_id_are_listed_as_possible_and_one_that_is_missing_is_asked_for(
    block: Trial, found: Found, tmp_path: Path
) -> None:
    bill = block_bill(block, 5, 18)
    fees = [fee_of(bill, resource=""), fee_of(bill, resource="", cost=FEE * 2)]
    document = found(write_csv(tmp_path / "bill.csv", [*bill, *fees], CUR2))
    line = of(document, BLOCK_LINE)
    assert (line["billed"], [each["billed"] for each in document["unlabelled"]]) == ("0.00", ["334881.79"])
    assert "the fee of a block is on the bill of the day on which it starts" in line["reasons"][-1]["words"]
    assert document["apart_elsewhere"] == [
        {"kind": "Purchase", "invoiced": "334881.79", "effective": "334881.79", "rows": 2}
    ]


def commitments(path: Path, *rows: str) -> Path:
    head = "BillingCurrency,ContractCommitmentCost,ContractCommitmentId,ContractCommitmentPeriodEnd"
    path.write_text("\n".join([f"{head},ContractCommitmentPeriodStart", *rows, ""]))
    return path


ARN = f"arn:aws:ec2:us-east-1:1:capacity-reservation/{RESERVATION}"


@pytest.mark.parametrize("with_fee, invoiced", [(True, "111627.26"), (False, "0.00")])
def test_the_contract_of_a_block_says_how_much_of_its_fee_belongs_to_the_days_of_the_bill(
    block: Trial, found: Found, tmp_path: Path, with_fee: bool, invoiced: str
) -> None:
    """Of 28 days from 4 October on all in the month, of 28 from 18 October on half: where the fee is on another
    month's bill, that of the contract counts.
    """
    bill = block_bill(block, 18, 31)
    file = write_csv(tmp_path / "bill.csv", [*bill, *([fee_of(bill)] if with_fee else [])], CUR2)
    for start, end, amounts in (
        ("2026-10-04", "2026-11-01", ("111627.26", "5376")),
        ("2026-10-18", "2026-11-15", ("55813.63", "2688")),
    ):
        row = f"USD,{FEE},{ARN},{end}T00:00:00Z,{start}T00:00:00Z"
        line = of(found(file, commitments(tmp_path / f"{start}.csv", row)), BLOCK_LINE)
        assert (line["billed"], f"{Decimal(line['billed_quantity']).normalize():f}") == amounts
        assert line["invoiced"] == invoiced


@pytest.mark.parametrize(
    "row, said",
    [
        (f"USD,1,{ARN},2026-10-01T00:00:00Z,soon", f"contract commitment {ARN} has no period"),
        ("USD,1,,2026-10-01T00:00:00Z,2026-09-01T00:00:00Z", "contract commitment without an id has no period"),
        (f"USD,1,{ARN},2026-10-01T00:00:00Z,2026-09-01T00:00:00Z", "contract commitments only: give the bill, too"),
    ],
)
def test_contract_commitments_that_cannot_be_used_are_named(
    reconcile: Callable[..., Any], tmp_path: Path, row: str, said: str
) -> None:
    done = reconcile(commitments(tmp_path / "contracts.csv", row))
    assert (done.exit_code, said in done.stderr) == (2, True), done.stderr
