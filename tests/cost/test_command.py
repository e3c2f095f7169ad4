"""`gpucluster cost`: what it prints where, and its exit codes."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from tests.cases import cases
from tests.says import Says
from tests.terminal import in_terminal


def _cost(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gpucluster", "cost", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=60)


def test_a_plan_gives_a_table_on_stdout(recordings: Path) -> None:
    run = _cost("report", str(recordings / "plan.json"))
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("Cost of ")
    assert "$200,896.00" in run.stdout


def test_stdin_and_a_file_give_the_same_json(recordings: Path, tmp_path: Path) -> None:
    path, output = recordings / "state.json", tmp_path / "cost.json"
    from_file = _cost("report", str(path), "--format", "json", "--output", str(output), "--quiet")
    from_stdin = _cost("report", "--format", "json", stdin=path.read_text())
    assert (from_file.returncode, from_file.stdout, from_file.stderr) == (0, "", "")
    assert json.loads(output.read_text()) == json.loads(from_stdin.stdout)
    assert from_stdin.stderr.startswith("within budget: expected $215,201.60 a month")


def test_over_the_budget_of_the_components_is_exit_1(recordings: Path) -> None:
    run = _cost("report", str(recordings / "update.json"), "--format", "json")
    assert run.returncode == 1
    assert run.stderr == Says("over", "$45,670.00", "$295,670.00")
    assert json.loads(run.stdout)["budget"]["verdict"] == "over"


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "html", "focus"])
def test_the_state_before_an_update_is_priced_for_the_table_that_shows_it(
    recordings: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []
    monkeypatch.setattr("gpucluster.cost.commands.report.before_of", lambda *_: asked.append(recordings))
    done = CliRunner().invoke(main, ["cost", "report", str(recordings / "plan.json"), "--format", form])
    assert (done.exit_code, len(asked)) == (0, form == "table")


def test_a_misspelt_amount_of_output_is_refused(recordings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUCLUSTER_OUTPUT", "ful")
    run = _cost("report", str(recordings / "plan.json"))
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "error: GPUCLUSTER_OUTPUT is 'ful'; write full, or unset it\n"


def test_assumptions_are_inputs(recordings: Path) -> None:
    plain = _cost("report", str(recordings / "plan.json"), "--format", "json")
    run = _cost("report", str(recordings / "plan.json"), "--format", "json", "--assume", "nat_gib=1000")
    before, after = (json.loads(found.stdout)["monthly"]["expected"] for found in (plain, run))
    assert (before, after) == ("215201.60", "215246.60")
    assert "nat_gib: 1000 GiB a month through each NAT gateway" in json.loads(run.stdout)["assumptions"]


@cases
def test_wrong_input_is_one_clear_error_and_exit_2(arguments: list[str], stdin: str, message: str) -> None:
    run = _cost(*arguments, stdin=stdin)
    assert (run.returncode, run.stdout) == (2, "")
    assert message in run.stderr.replace("\n", " ")
    assert "Traceback" not in run.stderr


def test_stacks_are_compared_in_every_form(recordings: Path, tmp_path: Path) -> None:
    plan, renamed = recordings / "plan.json", tmp_path / "other.json"
    renamed.write_text(plan.read_text().replace("urn:pulumi:dev::", "urn:pulumi:other::"))
    table = _cost("compare", str(plan), str(renamed))
    assert (table.returncode, table.stderr) == (0, "")
    assert table.stdout.splitlines()[2].split() == ["dev", "other"]
    markdown = _cost("compare", str(plan), str(renamed), "--format", "markdown")
    assert "\n\n| | dev | other |\n| --- | ---: | ---: |\n" in markdown.stdout
    output = tmp_path / "out.json"
    to_file = _cost("compare", str(plan), "-", "--format", "json", "--output", str(output), stdin=renamed.read_text())
    assert (to_file.returncode, to_file.stdout, to_file.stderr) == (0, "", "")
    found = json.loads(output.read_text())
    assert [column["title"] for column in found["columns"]] == ["dev", "other"]
    assert [column["monthly"]["expected"] for column in found["columns"]] == ["215201.60", "215201.60"]


def test_a_stack_that_comes_twice_is_called_after_its_files(recordings: Path) -> None:
    run = _cost("compare", str(recordings / "plan.json"), str(recordings / "update.json"), "--format", "json")
    assert [column["title"] for column in json.loads(run.stdout)["columns"]] == [
        f"dev ({recordings / name})" for name in ("plan.json", "update.json")
    ]


def test_every_file_that_cannot_be_compared_is_named(recordings: Path, tmp_path: Path) -> None:
    broken, binary, nothing = (tmp_path / name for name in ("broken.json", "binary.json", "nothing.json"))
    broken.write_text("{")
    binary.write_bytes(b"\xff\xfe\x00\x01")
    nothing.write_text('{"steps": []}')
    run = CliRunner().invoke(main, ["cost", "compare", *map(str, (broken, recordings / "plan.json", binary, nothing))])
    assert (run.exit_code, run.stdout) == (2, "")
    assert run.stderr.splitlines() == [
        Says(broken, "JSON", "1", "pulumi preview --json --show-sames", "pulumi stack export"),
        Says(binary, "not", "JSON"),
        Says(nothing, "no", "resources"),
    ]


def test_a_report_is_grouped_by_a_label_in_every_form(recordings: Path) -> None:
    plan = str(recordings / "plan.json")
    table = _cost("report", plan, "--group-by", "team", "--quiet")
    assert "(no label)" in table.stdout
    assert re.search(r"Total per month +\$215,201\.60 +\$[\d,.]+\n", table.stdout)
    document = json.loads(_cost("report", plan, "--group-by", "team", "--format", "json").stdout)
    assert document["group_by"][0]["groups"][-1]["value"] == "(no label)"
    rows = _cost("report", plan, "--group-by", "team", "--format", "csv")
    assert rows.stdout.splitlines()[0].endswith(",bound,label:team")
    assert rows.stderr.startswith("within budget: expected $215,201.60 a month")


def test_a_report_is_grouped_by_several_labels_at_once(recordings: Path) -> None:
    plan, labels = str(recordings / "plan.json"), ["--group-by", "team", "--group-by", "project", "--group-by", "team"]
    document = json.loads(_cost("report", plan, *labels, "--format", "json", "--quiet").stdout)
    assert [one["label"] for one in document["group_by"]] == ["team", "project"]
    rows = _cost("report", plan, *labels, "--format", "csv", "--quiet").stdout
    assert rows.splitlines()[0].endswith(",bound,label:team,label:project")
    assert _cost("report", plan, *labels).stdout.count("Total per month") == 2


def test_reports_and_comparisons_are_pages_too(recordings: Path, tmp_path: Path) -> None:
    plan, state = (str(recordings / name) for name in ("plan.json", "state.json"))
    report, comparison = tmp_path / "report.html", tmp_path / "comparison.html"
    run = _cost("report", plan, "--format", "html", "--output", str(report), "--quiet")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert "<title>Cost of dev</title>" in report.read_text()
    run = _cost("compare", plan, state, "--format", "html", "--output", str(comparison))
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert f"<title>Cost of dev ({plan}), dev ({state})</title>" in comparison.read_text()


def test_a_comparison_is_a_table_of_a_spreadsheet_too(recordings: Path) -> None:
    run = _cost("compare", str(recordings / "plan.json"), str(recordings / "update.json"), "--format", "csv")
    rows = list(csv.reader(run.stdout.splitlines()))
    assert {len(row) for row in rows} == {4}
    assert ["In total", "$/month", "$215,201.60", "$295,670.00"] in rows


def test_a_region_without_a_price_is_an_answer_with_the_nearest_that_have_one() -> None:
    found = _cost("prices", "show", "--region", "ap-south-9", "--sku", "p5.48xlarge", "--format", "json")
    assert (found.returncode, json.loads(found.stdout)["prices"]) == (0, [])
    said = "no price of p5.48xlarge in ap-south-9; known in: ap-south-1, ap-southeast-3, ap-southeast-2, ap-northeast-2"
    assert found.stderr.startswith(said)


def test_prices_are_shown_in_every_form(tmp_path: Path) -> None:
    chosen = ["--provider", "aws", "--region", "us-east-1", "--sku", "p5.4xlarge"]
    table = _cost("prices", "show", *chosen)
    assert (table.returncode, table.stderr) == (0, "")
    assert table.stdout.splitlines()[3].split()[:6] == [
        "aws", "us-east-1", "p5.4xlarge", "instance-hour", "on_demand", "6.88",
    ]  # fmt: skip
    document = json.loads(_cost("prices", "show", *chosen, "--format", "json").stdout)
    rows = _cost("prices", "show", *chosen, "--format", "csv").stdout.splitlines()
    assert len(document["prices"]) == len(rows) - 1
    assert document["prices"][0]["usd_per_unit"] == "6.88"
    own = tmp_path / "own.csv"
    own.write_text("provider,region,sku,unit,usd_per_unit\naws,us-east-1,p5.4xlarge,instance-hour,5\n")
    mine = _cost("prices", "show", *chosen, "--prices", str(own), "--format", "json")
    assert json.loads(mine.stdout)["prices"][0]["source"].startswith("your price, ")


def test_the_price_book_is_checked_in_both_forms() -> None:
    document, table = _cost("prices", "check", "--format", "json"), _cost("prices", "check")
    found = json.loads(document.stdout)["findings"]
    matter = sum(finding["matters"] for finding in found)
    assert (document.returncode, table.returncode) == (int(matter > 0),) * 2
    assert table.stdout.endswith(f"findings: {matter} that matter (!), {len(found) - matter} good to know\n")


def test_a_line_is_explained_by_name_or_number(recordings: Path) -> None:
    plan = str(recordings / "plan.json")
    by_number = _cost("explain", "1", plan, "--format", "json")
    by_name = _cost("explain", "train-nodes", stdin=Path(plan).read_text())
    assert (by_number.returncode, by_name.returncode, by_name.stderr) == (0, 0, "")
    assert [line["monthly"] for line in json.loads(by_number.stdout)["lines"]] == ["200896.00"]
    assert by_name.stdout == Says("5", "730", "=", "3,650", "instance-hour", "$55.04", "=", "$200,896.00")


def test_a_change_over_the_budget_is_exit_1_in_every_form(recordings: Path, tmp_path: Path) -> None:
    old, new = str(recordings / "plan.json"), str(recordings / "update.json")
    table = _cost("diff", old, new)
    assert (table.returncode, table.stderr) == (1, "")
    assert table.stdout == Says("raises", "$80,468.40")
    output = tmp_path / "comment.md"
    markdown = _cost("diff", old, new, "--format", "markdown", "--output", str(output))
    assert (markdown.returncode, markdown.stdout, markdown.stderr) == (1, "", "")
    assert output.read_text().endswith("\n<!-- gpucluster cost diff dev -->\n")
    document = _cost("diff", "-", new, "--format", "json", stdin=Path(old).read_text())
    assert document.stderr.startswith("over budget by $45,670.00")
    assert json.loads(document.stdout)["monthly"]["change"]["expected"] == "80468.40"


def test_storage_that_is_deleted_is_exit_1_though_it_costs_less(recordings: Path, tmp_path: Path) -> None:
    state, plan = json.loads((recordings / "state.json").read_text()), tmp_path / "plan.json"
    urn = next(item["urn"] for item in state["deployment"]["resources"] if "lustreFileSystem" in item["urn"])
    plan.write_text(json.dumps({"steps": [{"op": "delete", "urn": urn, "oldState": {}}]}))
    run = _cost("diff", str(recordings / "state.json"), str(plan), "--format", "json", "--quiet")
    assert (run.returncode, run.stderr) == (1, "")
    assert [(loss["resource"], loss["how"]) for loss in json.loads(run.stdout)["losses"]] == [(urn, "deleted")]
    assert _cost("diff", str(recordings / "plan.json"), str(recordings / "state.json")).returncode == 0


def test_both_files_that_cannot_be_compared_are_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("[]")
    run = _cost("diff", str(broken), "-", stdin="")
    assert (run.returncode, run.stdout) == (2, "")
    assert [line.partition(";")[0] for line in run.stderr.splitlines()] == [
        Says(broken, "neither", "no", "object"),
        "error: stdin is empty",
    ]


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (0, "FILE is missing"),
        (1, "error: 1 file to compare; give 2 to 6, a plan or state of each stack"),
        (7, "error: 7 files to compare; give 2 to 6, a plan or state of each stack"),
    ],
)
def test_a_comparison_takes_two_to_six_files(recordings: Path, number: int, message: str) -> None:
    run = _cost("compare", *[str(recordings / "plan.json")] * number)
    assert (run.returncode, run.stdout) == (2, "")
    assert message in run.stderr


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(b"\xff\xfe\x00\x01")
    run = _cost("report", str(path))
    assert (run.returncode, run.stderr) == (2, "error: the input is not UTF-8 text\n")


def test_the_types_are_listed_with_their_sources() -> None:
    found = json.loads(_cost("types", "--format", "json").stdout)
    assert {"aws:eks/nodeGroup:NodeGroup", "gcp:container/nodePool:NodePool"} <= set(found["priced"])
    assert found["free"]["gcp:compute/network:Network"]["source"] == "https://cloud.google.com/vpc/network-pricing"
    assert found["free"]["aws:ec2/subnet:Subnet"]["source"] == "https://aws.amazon.com/vpc/pricing/"
    assert not set(found["priced"]) & set(found["free"])
    assert [name for name, text in found["priced"].items() if not text] == []
    table = _cost("types")
    assert table.returncode == 0
    assert "Any other type is reported as not priced." in table.stdout


def test_usage_is_a_file_that_a_plan_gives(recordings: Path, tmp_path: Path) -> None:
    plan, usage = recordings / "plan.json", tmp_path / "usage.yaml"
    init = _cost("usage", "init", str(plan), "--output", str(usage))
    assert (init.returncode, init.stdout) == (0, "")
    assert init.stderr == f"{usage} written. Next: gpucluster cost report --usage {usage} {plan}\n"
    again = _cost("usage", "init", str(plan), "--output", str(usage))
    assert again.returncode == 2 and "exists; name a file that does not" in again.stderr
    plain = _cost("report", str(plan), "--format", "json").stdout
    assert (
        json.loads(_cost("report", str(plan), "--usage", str(usage), "--format", "json").stdout)["monthly"]
        == (json.loads(plain)["monthly"])
    )
    usage.write_text("types: {'aws:ec2/natGateway:NatGateway': {nat_gib: 1000}}")
    dearer = json.loads(_cost("report", str(plan), "--usage", str(usage), "--format", "json").stdout)
    assert float(dearer["monthly"]["expected"]) == float(json.loads(plain)["monthly"]["expected"]) + 45
    by_hand = _cost("report", str(plan), "--usage", str(usage), "--assume", "nat_gib=0", "--format", "json").stdout
    assert json.loads(by_hand)["monthly"] == json.loads(plain)["monthly"]


def test_a_command_that_writes_a_plan_is_run(recordings: Path) -> None:
    command = f"cat {recordings / 'plan.json'}"
    run = _cost("report", "--run", command, "--format", "csv")
    assert (run.returncode, run.stdout) == (0, _cost("report", str(recordings / "plan.json"), "--format", "csv").stdout)
    assert run.stderr.startswith(f"running {command}\n")


def test_values_that_a_program_does_not_hear_are_an_error(recordings: Path) -> None:
    run = _cost("report", "--quiet", "--run", f"cat {recordings / 'plan.json'}", "--set", "nodes=8")
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == Says("0", "1", "--set", "no")


@pytest.mark.parametrize(
    "arguments", ["options plan.json", "tco --plan plan.json", "types", "prices show --sku p5.48xlarge"]
)
def test_a_terminal_of_80_columns_breaks_no_line_and_a_pipe_gets_each_row_in_one(
    arguments: str, recordings: Path
) -> None:
    command = [sys.executable, "-m", "gpucluster", "cost", *arguments.split()]
    code, shown = in_terminal(command, recordings, TERM="dumb", PYTHONPATH=os.pathsep.join(sys.path))
    assert code == 0
    # An address or a path is one word, and copied whole.
    assert [line for line in shown.splitlines() if len(line) > 80 and len(line.split()) > 1] == []
    piped = subprocess.run(command, cwd=recordings, capture_output=True, text=True, timeout=60).stdout
    assert any(len(line) > 80 for line in piped.splitlines())
    assert set(re.findall(r"\d+\.\d+", shown)) == set(re.findall(r"\d+\.\d+", piped))
