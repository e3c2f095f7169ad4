"""Every pack: what it promotes, started as the engine starts it, and one preview with it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import analyzer_pb2, analyzer_pb2_grpc

import gpucluster.policies
from gpucluster.policies.packs import BASELINE, PACKS, PRODUCTION, TRAINING
from gpucluster.policies.rule import ReportRule

POLICIES = Path(gpucluster.policies.__file__).parent
PROGRAM = Path(__file__).parents[1] / "project/__main__.py"
FOLDERS = {"training": POLICIES, **{name: POLICIES / "packs" / name for name in ("baseline", "production")}}
FINDING = re.compile(r"^\s+- \[(\w+)\] \[severity: \w+\]\s+(\S+)\s+\(", re.MULTILINE)


def test_every_pack_has_a_folder():
    assert set(FOLDERS) == set(PACKS)
    assert {path.parent.name for path in (POLICIES / "packs").glob("*/PulumiPolicy.yaml")} == set(PACKS) - {"training"}


def test_packs_run_the_same_rules():
    assert BASELINE.rules == TRAINING.rules == PRODUCTION.rules


def test_the_baseline_promotes_nothing_and_production_all_but_what_reports_on_others():
    reports = {rule.name for rule in TRAINING.rules if isinstance(rule, ReportRule)}
    assert BASELINE.mandatory == frozenset()
    assert PRODUCTION.mandatory == {rule.name for rule in TRAINING.rules} - reports
    assert BASELINE.mandatory < TRAINING.mandatory < PRODUCTION.mandatory


@pytest.mark.parametrize("name", ["baseline", "production"])
def test_the_engine_is_told_every_policy_of_a_pack_with_its_level(name):
    folder, pack = FOLDERS[name], PACKS[name]
    command = [sys.executable, "-u", "-m", "pulumi.policy", "127.0.0.1:0", str(folder)]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as served:
        try:
            assert served.stdout is not None
            channel = grpc.insecure_channel(f"127.0.0.1:{int(served.stdout.readline())}")
            info = analyzer_pb2_grpc.AnalyzerStub(channel).GetAnalyzerInfo(empty_pb2.Empty())
        finally:
            served.kill()
    level = analyzer_pb2.EnforcementLevel.Name
    assert info.name == name
    assert {policy.name: level(policy.enforcementLevel).lower() for policy in info.policies} == {
        rule.name: pack.enforcement(rule).value for rule in pack.rules if rule not in pack.change_rules
    }


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "stops", "level"), [("baseline", False, "advisory"), ("production", True, "mandatory")]
)
def test_a_preview_with_the_pack_is_stopped_or_not(tmp_path, name, stops, level):
    """By what the training pack only advises against."""
    shutil.copy(PROGRAM, tmp_path / "__main__.py")
    runtime = {"name": "python", "options": {"virtualenv": sys.prefix}}
    (tmp_path / "Pulumi.yaml").write_text(json.dumps({"name": "pool", "runtime": runtime}))
    (tmp_path / "Pulumi.test.yaml").write_text(json.dumps({"config": {"aws:region": "us-east-1"}}))
    command = [
        sys.executable,
        "-m",
        "gpucluster",
        "sandbox",
        "pulumi",
        "preview",
        "--stack",
        "test",
        "-c",
        "pool:mistake=spot",
    ]
    command += ["--policy-pack", str(FOLDERS[name])]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    output = done.stdout + done.stderr
    assert FINDING.findall(output) == [(level, "training-pool-not-on-spot")], output
    assert (done.returncode != 0) is stops
