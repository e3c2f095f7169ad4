"""The cost at the end of `gpucluster check`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpucluster.operate.spec.check import check

ROOT = Path(__file__).parents[4]


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """The trial's, with a budget that it exceeds."""
    file = tmp_path / "trial.yaml"
    text = (ROOT / "stacks/specs/trial.yaml").read_text()
    file.write_text(text.replace("monthly_usd: 420000", "monthly_usd: 1000"))
    return file


def test_the_plan_ends_with_its_cost_and_the_line_of_the_budget(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(spec.parent)
    done = CliRunner().invoke(check, ["trial.yaml", "--region", "us-east-1"])
    assert done.exit_code == 0, done.output
    plan, _, cost = done.output.partition("\n\n")
    assert plan.startswith("cluster    trial on EKS")
    assert cost.splitlines() == [
        "Total       $215,477.58 a month",
        "            floor $205,400.78, ceiling $245,707.98",
        "            5 lines depend on usage, assumed to be 0",
        "            $8.79 per training GPU-hour, 32 GPUs",
        "This trial  $99,178.72 in 14 days",
        "Budget      over $1,000.00 a month by $214,477.58: trial.yaml:37, budget.monthly_usd",
    ]


def test_json_is_the_plan_alone(spec: Path) -> None:
    done = CliRunner().invoke(check, [str(spec), "--format", "json"])
    assert json.loads(done.output)["trainingGpus"] == 32
