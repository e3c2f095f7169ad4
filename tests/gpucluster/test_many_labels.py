"""Labels cost a command the same work each, however many a resource has. Calls are counted, since seconds vary."""

from __future__ import annotations

import cProfile
import json
import pstats
from pathlib import Path

import pytest

from gpucluster.cli import main
from gpucluster.operate.judges.aws.judge import declared

MANY = 2_000
MOST_CALLS = 25
"""For each label: 200,000 are 5 million calls, of which an interpreter makes that many in about a second."""

_TYPES = {
    "aws:ec2/instance:Instance": ("tags", {"instanceType": "p5.48xlarge", "ami": "ami-0123456789abcdef0"}),
    "aws:s3/bucket:Bucket": ("tags", {}),
    "gcp:compute/instance:Instance": ("labels", {"machineType": "a3-highgpu-8g", "zone": "us-central1-a"}),
    "azure-native:storage:StorageAccount": ("tags", {}),
}


def _labels(number: int) -> dict[str, str]:
    return {f"label-{at}": f"v{at}" for at in range(number)}


def _plan(type_: str, number: int) -> str:
    at, inputs = _TYPES[type_]
    urn = f"urn:pulumi:dev::p::{type_}::one"
    state = {"urn": urn, "custom": True, "type": type_, "inputs": {**inputs, at: _labels(number)}}
    return json.dumps({"config": {}, "steps": [{"op": "create", "urn": urn, "newState": state}]})


def _spec(number: int) -> str:
    access = {"kind": "public", "cidrs": ["203.0.113.0/24"]}
    return json.dumps({"training": {"nodes": 4}, "access": access, "labels": _labels(number)})


def _calls(command: list[str], file: Path, text: str) -> int:
    file.write_text(text)
    profile = cProfile.Profile()
    with pytest.raises(SystemExit):
        profile.runcall(main, [*command, str(file)])
    return pstats.Stats(profile).total_calls  # pyright: ignore[reportAttributeAccessIssue]


def _each(command: list[str], file: Path, one: str, many: str) -> float:
    """Calls for each further label, once everything is imported."""
    _calls(command, file, one)
    return (_calls(command, file, many) - _calls(command, file, one)) / MANY


@pytest.mark.parametrize("type_", _TYPES)
@pytest.mark.parametrize(
    "command",
    [["guardrails", "check"], ["cost", "report"], ["judge", "--judge", "gcp", "--judge", "azure"]],
    ids=" ".join,
)
def test_in_a_plan(command: list[str], type_: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    calls = _each(command, tmp_path / "plan.json", _plan(type_, 1), _plan(type_, MANY + 1))
    assert calls <= MOST_CALLS
    assert len(capsys.readouterr().out) < 50_000


def test_as_a_template_of_cfn_lint() -> None:
    made = declared("aws:s3/bucket:Bucket", {"tags": _labels(MANY)})
    assert (len(made.properties["Tags"]), made.left) == (51, ["tags after the first 51"])


def test_in_a_spec(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A spec of 20,000 values is refused at once, and its lines are not read any further."""
    file, many = tmp_path / "spec.yaml", 20_000
    further = _calls(["check"], file, _spec(2 * many)) - _calls(["check"], file, _spec(many))
    assert "the file has more than 20,000 values" in capsys.readouterr().err
    assert further < MOST_CALLS * many
