"""The commands about purchase options, owning, advice and limits: what they print, and what they refuse."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gpucluster.cli import main
from tests.cases import cases
from tests.says import Says

ROOT = Path(__file__).parents[3]
PLAN = "tests/gpucluster/core/program/recordings/plan.json"


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["cost", *arguments])


@pytest.mark.parametrize("form", ["table", "json"])
@pytest.mark.parametrize("name", ["options", "advise", "budgets", "tco"])
def test_each_prints_its_result_and_nothing_else(name: str, form: str) -> None:
    file = () if name == "tco" else (str(ROOT / PLAN),)
    run = _run(name, *file, "--format", form)
    assert (run.exit_code, run.stderr) == (0, "")
    if form == "json":
        document = json.loads(run.stdout)
        assert (document["schema_version"], document["currency"]) == (2, "USD")


def test_options_of_a_plan_have_its_days_and_prices() -> None:
    run = _run("options", str(ROOT / PLAN), "--days", "10", "--support", "aws=enterprise")
    assert "needed for 10 days" in run.stdout
    assert run.stdout.replace("\n", " ") == Says("support-enterprise", "$0.00")


def test_over_a_limit_is_exit_1_and_what_cannot_be_told_only_when_it_is_strict(tmp_path: Path) -> None:
    limits = tmp_path / "limits.yaml"
    plan = str(ROOT / PLAN)
    limits.write_text("stack: {monthly: 1}\n")
    assert _run("budgets", plan, "--limits", str(limits)).exit_code == 1
    limits.write_text("stack: {monthly: 1000000}\n")
    found = _run("budgets", plan, "--limits", str(limits))
    assert (found.exit_code, "cannot tell" in found.stdout) == (0, False)
    assert _run("budgets", plan, "--limits", str(limits), "--strict").exit_code == 0
    unknown = tmp_path / "plan.json"  # a disk in a region without a price
    unknown.write_text((ROOT / PLAN).read_text().replace("us-west-2", "xx-nowhere-1"))
    found = _run("budgets", str(unknown), "--limits", str(limits))
    assert (found.exit_code, "bounded: 1 without a price" in found.stdout, "cannot tell" in found.stdout) == (
        0,
        True,
        False,
    )
    assert _run("budgets", str(unknown), "--limits", str(limits), "--strict").exit_code == 0
    limits.write_text("stack: {monthly: 215200}\n")  # between the least and the most of what has no price
    found = _run("budgets", str(unknown), "--limits", str(limits))
    assert (found.exit_code, "cannot tell" in found.stdout) == (0, True)
    assert _run("budgets", str(unknown), "--limits", str(limits), "--strict").exit_code == 1


@cases
def test_wrong_input_is_one_clear_error_and_exit_2(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    run = _run(*arguments)
    assert (run.exit_code, run.stdout) == (2, "")
    assert message in run.stderr.replace("\n", " ")


def test_the_example_of_owning_is_what_the_command_prints() -> None:
    text = (ROOT / "docs/buy/owning.md").read_text()
    block = re.search(r"^```\n\$ gpucluster cost (tco .*?)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert block is not None
    printed = _run(*block[1].split()).stdout.splitlines()
    assert [line for line in block[2].splitlines() if line != "..." and line not in printed] == []


def test_owning_against_a_plan_is_owning_as_many_nodes_unless_others_are_given() -> None:
    own, given = (
        {name: (entry["value"], entry["source"]) for name, entry in json.loads(run.stdout)["inputs"].items()}
        for run in (
            _run("tco", "--plan", str(ROOT / PLAN), "--format", "json"),
            _run("tco", "--plan", str(ROOT / PLAN), "--set", "nodes=16", "--format", "json"),
        )
    )
    said = f"as many as in {ROOT / PLAN}"
    assert [own[name] for name in ("nodes", "gpus_per_node", "spare_share")] == [("5", said), ("8", said), ("0", said)]
    assert [given[name] for name in ("nodes", "spare_share")] == [("16", "yours, --set"), ("0", said)]
