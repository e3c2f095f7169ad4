"""`gpucluster up`: asks first, lets Pulumi preview and ask once, and explains a failure."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gpucluster.core.program.questions import Question
from gpucluster.operate.preflight.answers import Answer, fine, refused
from gpucluster.operate.preflight.document import Found
from gpucluster.operate.up import command
from tests.stacks.conftest import Project
from tools.benchmarks.harness import ROOT

CORES = Question(about="quota", subject="L-417A185B", needed=960, unit="vCPUs", place="us-east-1")

PULUMI = """#!{python}
import json, os, sys
open(os.environ["SAID"], "w").write(" ".join(sys.argv[1:]).replace(sys.argv[sys.argv.index("--event-log") + 1], "LOG"))
assert os.environ["PULUMI_DEBUG_COMMANDS"] == "true"
event = {{"diagnosticEvent": {{"severity": "error", "message": {message!r}, "urn": "urn:pulumi:s::p::t::training"}}}}
open(sys.argv[sys.argv.index("--event-log") + 1], "w").write(json.dumps(event))
sys.exit({code})
"""


def _up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *options: str, answer: Answer, message: str = "", code: int = 0
) -> tuple[Result, str]:
    """The result, and what Pulumi was told; empty if it did not run."""
    program, said = tmp_path / "pulumi", tmp_path / "said"
    program.write_text(PULUMI.format(python=sys.executable, message=message, code=code))
    program.chmod(0o755)
    found = Found(stack="aws-trial", identity="me", not_asked=None, answers=[answer], asked=datetime.now(UTC))
    monkeypatch.setattr(command, "asked", lambda *_, **__: found)
    monkeypatch.setattr(command, "elsewhere", lambda *_: ["  $1  aws us-west-2"])
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("SAID", str(said))
    monkeypatch.delenv("PULUMI_DEBUG_COMMANDS", raising=False)
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(command.up, ["--stack", "aws-trial", *options])
    return result, said.read_text() if said.exists() else ""


def test_an_account_that_stops_up_is_not_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result, told = _up(tmp_path, monkeypatch, answer=refused(CORES, "384 vCPUs", "ask for 960"))
    assert (result.exit_code, told) == (1, "")
    assert "ask for 960" in result.stdout
    assert "not started" in result.stderr


def test_anyway_tries_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result, told = _up(tmp_path, monkeypatch, "--anyway", "--yes", answer=refused(CORES, "384 vCPUs"))
    assert (result.exit_code, told) == (0, "up --event-log LOG --yes --stack aws-trial")


def test_pulumi_itself_asks_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result, told = _up(tmp_path, monkeypatch, answer=fine(CORES, "1,152 vCPUs"))
    assert (result.exit_code, told) == (0, "up --event-log LOG --stack aws-trial")


def test_a_stockout_ends_with_its_meaning_and_other_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    message = "api error InsufficientInstanceCapacity: We currently do not have sufficient capacity"
    result, _ = _up(tmp_path, monkeypatch, answer=fine(CORES, "1,152 vCPUs"), message=message, code=255)
    assert result.exit_code == 255
    meaning = "AWS has no free machines of this type in the zone now; quota does not help"
    assert result.stderr.splitlines()[-3:] == [
        f"What this means: training: {meaning}. Next: run the same command later, or buy elsewhere.",
        "",
        "  $1  aws us-west-2",
    ]


def test_an_unknown_failure_is_left_to_pulumi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result, _ = _up(tmp_path, monkeypatch, answer=fine(CORES, "1,152"), message="something odd", code=1)
    assert result.exit_code == 1
    assert "What this means" not in result.stderr


SMALL = """
asked: {{stack: {cloud}-trial, at: '2026-11-29T09:00:00+00:00', answers: []}}
capacity:
- {{cloud: {cloud}, {place}, machine: {machine}, available: 2}}
"""


@pytest.mark.slow
@pytest.mark.engine
@pytest.mark.parametrize(
    ("cloud", "place", "machine"),
    [
        ("aws", "zone: us-east-1a", "p5.48xlarge"),
        ("azure", "region: eastus, zone: '1'", "Standard_ND96isr_H100_v5"),
        ("gcp", "zone: us-central1-b", "a3-megagpu-8g"),
    ],
)
def test_the_sandbox_refuses_what_the_account_would(project: Project, cloud: str, place: str, machine: str) -> None:
    """It has two machines of five."""
    account = project.path / f"stacks/account.{cloud}-trial.yaml"
    account.write_text(SMALL.format(cloud=cloud, place=place, machine=machine))
    first = project.run("sandbox", "up", "--yes", "--stack", f"{cloud}-trial")
    assert first.code != 0
    said = [
        f"Scenario: stacks/account.{cloud}-trial.yaml",
        "What this means: ",
        f"offers 2 {machine}, 0 of them in use, and the request needs 5",
        "Elsewhere, the whole cluster for 14d",
    ]
    assert [text for text in said if text in first.text] == said, first.text[-3000:]


def test_the_sandbox_passes_its_options_on(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[list[str]] = []
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(
        subprocess, "run", lambda words, **_: runs.append(words) or subprocess.CompletedProcess(words, 0)
    )
    options = {"scenario": Path("short.yaml"), "kubernetes": "simulated"}
    CliRunner().invoke(command.up_in_sandbox, ["--stack", "aws-trial"], obj=options)
    [words] = runs
    given = ["--scenario", "short.yaml", "--kubernetes", "simulated"]
    assert words[1:11] == ["-P", "-m", "gpucluster", "sandbox", *given, "pulumi", "up"]
    assert words[-2:] == ["--stack", "aws-trial"]
