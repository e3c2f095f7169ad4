"""The costed plan inside a running program."""

from __future__ import annotations

import contextlib
import datetime
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pulumi
import pytest

from gpucluster.core.program.closing import FOLDER_VARIABLE, OUTPUT_VARIABLE, handed_over
from gpucluster.core.program.readers.files import read_text
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import PriceBook, estimate
from gpucluster.cost.documents.report.report_json import report_json
from gpucluster.cost.preview import BUDGET_VARIABLE, NotRegistered, Watched, costed_plan, totals, watch
from tests.says import Says

RunProgram = Callable[..., Any]
EXAMPLE = Path(__file__).parents[1] / "gpucluster/core/program/example/__main__.py"
BOOK = PriceBook(today=datetime.date(2026, 11, 21))

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(autouse=True)
def _of_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    texts: list[str] = []
    monkeypatch.setattr(pulumi.log, "info", texts.append)
    return texts


@pytest.mark.usefixtures("full_output")
def test_the_table_is_shown_and_the_totals_are_given_to_export(run_program: RunProgram, logged: list[str]) -> None:
    totals: dict[str, str] = {}
    run_program(EXAMPLE, at_end=lambda watched: totals.update(costed_plan(watched, book=BOOK)), aws__region="us-east-1")
    assert totals == {
        "monthly": "215201.60",
        "monthlyFloor": "205124.80",
        "monthlyCeiling": "245432.00",
        "hourly": "294.80",
        "perTrainingGpuHour": "8.78",
    }
    table, block = logged
    assert table.startswith("Cost of stack dev: list prices in USD")
    golden = Path(__file__).parent / "documents" / "golden" / "plan.txt"
    assert _rows(table) == _rows(golden.read_text())
    assert block.splitlines() == [
        "",
        "Total       $215,201.60 a month",
        "            floor $205,124.80, ceiling $245,432.00",
        "            5 lines depend on usage, assumed to be 0",
        "            $8.78 per training GPU-hour, 32 GPUs",
        "This trial  $99,051.70 in 14 days",
        "Budget      within $250,000.00 a month",
        "Next        pulumi up --stack dev",
    ]


def test_without_the_switch_a_preview_shows_the_lines_and_the_block_has_the_sums(
    run_program: RunProgram, logged: list[str]
) -> None:
    run_program(EXAMPLE, at_end=lambda watched: costed_plan(watched, book=BOOK) and None, aws__region="us-east-1")
    table, block = logged
    golden = Path(__file__).parent / "documents" / "golden" / "plan.txt"
    sums = ("Total", "floor", "ceiling", "This trial", "Per training")
    assert _rows(table) == [row for row in _rows(golden.read_text()) if not row.startswith(sums)]
    assert [word for word in ("Assumptions", "Prices", "Budget", "[1]") if word in table] == []
    assert "Total       $215,201.60 a month" in block


def test_a_program_whose_output_is_misspelt_registers_nothing(
    run_program: RunProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OUTPUT_VARIABLE, "ful")
    refused: list[str] = []

    def at_end(watched: Watched) -> None:
        with pytest.raises(NotRegistered) as error:
            costed_plan(watched, book=BOOK)
        refused.append(str(error.value))

    run_program(EXAMPLE, at_end=at_end, aws__region="us-east-1")
    assert refused == ["GPUCLUSTER_OUTPUT is 'ful'; write full, or unset it\nNothing was registered."]


def test_the_parts_of_a_program_have_one_block_with_one_total(run_program: RunProgram, logged: list[str]) -> None:
    totals: list[str] = []

    def address(name: str) -> Watched:
        watched = watch()
        pulumi.CustomResource("aws:ec2/eip:Eip", name, {"domain": "vpc"})
        watched.stop()
        return watched

    def at_end(_: Watched) -> None:
        totals.extend(costed_plan(address(name), book=BOOK)["monthly"] for name in ("one", "two"))

    run_program(lambda: None, at_end=at_end, aws__region="us-east-1")
    assert totals == ["3.65", "3.65"]
    assert [text.split()[1:4] for text in logged if text.startswith("\nTotal")] == [["$7.30", "a", "month"]]


def test_a_sandbox_is_handed_the_block_and_the_program_logs_none(
    run_program: RunProgram, logged: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with contextlib.suppress(pulumi.RunError):
        run_program(lambda: Cluster("fail") and None, at_end=_refused, aws__region="us-east-1")
    assert len(logged) == 1
    assert handed_over(tmp_path) == {
        "cost-program": {
            "lines": [
                {"label": "Total", "text": "$3.65 a month", "tone": "strong"},
                {"label": "Budget", "text": "over $1.00 a month by $2.65", "tone": "bad"},
            ],
            "failed": "over the budget by $2.65",
            "field": "budget.monthly_usd",
            "next": ["pulumi up --stack dev"],
        }
    }


def _refused(watched: Watched) -> None:
    with pytest.raises(pulumi.RunError):
        costed_plan(watched, book=BOOK)


def test_the_outputs_count_capacity_bought_elsewhere_and_tell_how_much_it_is() -> None:
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    inputs = {"instanceType": "p5.48xlarge", "rootBlockDevice": {"volumeSize": 100},
              "associatePublicIpAddress": False}  # fmt: skip
    type_ = "aws:ec2/instance:Instance"
    machine = Resource(urn=f"urn:pulumi:dev::test::{type_}::held", type=type_, name="held",
                       inputs={**inputs, "capacityReservationSpecification": target})  # fmt: skip
    cluster = Resource(urn="urn:pulumi:dev::test::x:y:Cluster::c", type="x:y:Cluster", name="c", custom=False,
                       inputs={"trainingGpus": 8})  # fmt: skip
    found = estimate(Resources([cluster, machine], default_regions={"aws": "us-east-1"}), BOOK)
    assert totals(found) == {
        "monthly": "40187.20",
        "monthlyFloor": "40187.20",
        "monthlyCeiling": "40187.20",
        "hourly": "55.05",
        "perTrainingGpuHour": "6.88",
        "committedElsewhere": "40179.20",
    }


def test_the_table_fits_the_columns_that_the_environment_states(
    run_program: RunProgram, logged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "94")
    run_program(EXAMPLE, at_end=lambda watched: costed_plan(watched, book=BOOK) and None, aws__region="us-east-1")
    shown = logged[0]
    assert max(map(len, shown.splitlines())) == 90  # the engine puts 4 blanks before each line


def _rows(table: str) -> list[str]:
    """The amounts of a table without marks, whose numbers follow the order of the resources."""
    rows = [re.sub(r"\[\d+\] *", "", line) for line in table.splitlines() if re.search(r"  \$[\d,.]+$", line)]
    return sorted(" ".join(row.split()) for row in rows)


class Cluster(pulumi.ComponentResource):
    """A component with a budget of a dollar."""

    def __init__(self, on_exceed: str) -> None:
        facts = {"budget": {"monthly": "1", "onExceed": on_exceed}}
        super().__init__("test:index:Cluster", "cluster", facts)
        pulumi.CustomResource("aws:ec2/eip:Eip", "address", {"domain": "vpc"}, pulumi.ResourceOptions(parent=self))


@pytest.mark.parametrize("preview", [True, False])
def test_an_over_budget_plan_is_refused_with_its_table_before_anything_is_registered(
    run_program: RunProgram, logged: list[str], preview: bool
) -> None:
    registered: list[int] = []

    def at_end(watched: Any) -> None:
        with pytest.raises(pulumi.RunError) as error:
            costed_plan(watched, book=BOOK)
        assert str(error.value) == Says("over", "$2.65", "$3.65", "$3.65", "$1.00")
        registered.append(len(watched.resources()))

    run_program(lambda: Cluster("fail") and None, at_end=at_end, preview=preview, aws__region="us-east-1")
    assert registered == [3]  # the stack, the component and the address: seen, and not one of them sent
    table, block = logged
    assert table.startswith("Cost of stack dev: list prices in USD")
    assert block.splitlines()[-1] == "Failed  over the budget by $2.65"


@pytest.mark.parametrize(("preview", "value"), [(True, "report"), (True, "warn"), (False, "report")])
def test_a_preview_goes_on_over_the_budget_where_it_is_asked_to_report_and_an_update_never_does(
    run_program: RunProgram, logged: list[str], monkeypatch: pytest.MonkeyPatch, preview: bool, value: str
) -> None:
    warned: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", warned.append)
    monkeypatch.setenv(BUDGET_VARIABLE, value)
    goes_on = preview and value == "report"

    def at_end(watched: Any) -> None:
        with contextlib.nullcontext() if goes_on else pytest.raises(pulumi.RunError, match="the budget is set to fail"):
            assert costed_plan(watched, book=BOOK)["monthly"] == "3.65"

    run_program(lambda: Cluster("fail") and None, at_end=at_end, preview=preview, aws__region="us-east-1")
    assert logged[0].startswith("Cost of stack dev: list prices in USD")
    assert warned == ([Says("over", "$2.65", "$3.65", "$3.65", "$1.00", "refused")] if goes_on else [])


def test_a_budget_that_warns_lets_the_plan_go_on(run_program: RunProgram, logged: list[str]) -> None:
    totals: dict[str, str] = {}
    run_program(
        lambda: Cluster("warn") and None,
        at_end=lambda watched: totals.update(costed_plan(watched, book=BOOK)),
        aws__region="us-east-1",
    )
    assert totals["monthly"] == "3.65"
    assert "Budget  over $1.00 a month by $2.65" in logged[1].splitlines()


class Nodes(pulumi.ComponentResource):
    """A component with a budget, and a node group whose machine has no price."""

    def __init__(self) -> None:
        facts = {"budget": {"monthly": "1000", "onExceed": "fail"}, "trainingGpus": 8}
        super().__init__("test:index:Cluster", "cluster", facts)
        here = pulumi.ResourceOptions(parent=self)
        inputs = {"scalingConfig": {"desiredSize": 1}, "instanceTypes": ["x9.huge"], "diskSize": 0}
        pulumi.CustomResource("aws:eks/nodeGroup:NodeGroup", "nodes", inputs, here)


def test_machines_without_a_price_are_warned_of_and_no_total_reads_as_zero(
    run_program: RunProgram, logged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    warned: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", warned.append)
    totals: dict[str, str] = {}
    run_program(
        lambda: Nodes() and None,
        at_end=lambda watched: totals.update(costed_plan(watched, book=BOOK)),
        aws__region="us-east-1",
    )
    assert warned == [Says("cannot", "$1,000.00", "1", "no", "price", "aws:eks/nodeGroup:NodeGroup")]
    assert totals == {
        "monthly": "unknown",
        "monthlyFloor": "unknown",
        "monthlyCeiling": "unknown",
        "hourly": "unknown",
        "perTrainingGpuHour": "unknown",
        "notPriced": "1",
    }
    assert len(logged) == 2


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (lambda: Cluster("warn"), ["Total   $3.65 a month", "Budget  over $1.00 a month by $2.65"]),
        (
            Nodes,
            [
                "Total   unknown a month",
                "        unknown: 1 without a price of its own",
                "        unknown per training GPU-hour, 8 GPUs",
                "Budget  cannot tell whether it is within budget: expected unknown a month, ceiling unknown; budget",
                "        $1,000.00; unknown: 1 without a price of its own",
            ],
        ),
    ],
)
def test_an_update_shows_the_block_alone(
    run_program: RunProgram, logged: list[str], program: Callable[[], Any], said: str
) -> None:
    run_program(
        lambda: program() and None,
        at_end=lambda watched: costed_plan(watched, book=BOOK) and None,
        preview=False,
        aws__region="us-east-1",
    )
    assert [text.splitlines()[1:] for text in logged] == [said]


def test_own_prices_that_cannot_be_used_end_the_program_before_anything_is_registered(
    run_program: RunProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUCLUSTER_PRICES", "gone.csv")
    refusals: list[str] = []

    def at_end(watched: Watched) -> None:
        with pytest.raises(pulumi.RunError) as caught:
            costed_plan(watched)
        refusals.append(str(caught.value))

    run_program(lambda: Cluster("warn") and None, at_end=at_end, aws__region="us-east-1")
    assert refusals == [
        "GPUCLUSTER_PRICES: 'gone.csv' is not a file; give a CSV file of prices, as cost/prices/README.md describes\n"
        "Nothing was registered, because these prices cannot be used."
    ]


def test_a_damaged_price_book_ends_the_program_before_anything_is_registered(
    run_program: RunProgram, tmp_path: Path
) -> None:
    (tmp_path / "aws.csv").write_text("")
    refusals: list[str] = []

    def at_end(watched: Watched) -> None:
        with pytest.raises(pulumi.RunError) as caught:
            costed_plan(watched, book=PriceBook(folder=tmp_path))
        refusals.append(str(caught.value))

    run_program(lambda: Cluster("warn") and None, at_end=at_end, aws__region="us-east-1")
    (refusal,) = refusals
    assert refusal == Says("cost/prices/aws.csv", "1", "no")
    assert refusal.endswith("\nNothing was registered, because its cost is unknown.")


def test_program_plan_and_state_give_the_same_estimate(
    run_program: RunProgram, recordings: Path, book: PriceBook
) -> None:
    program = estimate(run_program(EXAMPLE, aws__region="us-east-1").seen, book)
    plan = estimate(read_text((recordings / "plan.json").read_text(), "plan.json"), book)
    state = estimate(read_text((recordings / "state.json").read_text(), "state.json"), book)
    assert report_json(program).model_dump() == report_json(plan).model_dump() == report_json(state).model_dump()
