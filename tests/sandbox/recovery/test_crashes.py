"""Killed runs, at seeded moments, and what `sandbox recover` makes of them.

By default a sample; GPUCLUSTER_TEST_CRASHES=20 runs that many seeded moments of each kind and direction.
"""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from sandbox.project import Project
from sandbox.recovery.compare import Difference
from sandbox.recovery.find import differences

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[3]
WHO = ("engine", "provider", "plugin", "both")
SWEEP = "GPUCLUSTER_TEST_CRASHES"
SAMPLE = 2

# The SDK's import would take longer than all the rest.
PROGRAM = """
    import json
    import pulumi
    from pulumi import CustomResource, Output, ResourceOptions

    class Thing(CustomResource):
        arn: Output[str]

        def __init__(self, token, name, props, opts=None):
            super().__init__(token, name, {**props, "arn": None}, opts)

    inside = ResourceOptions(parent=pulumi.ComponentResource("test:index:Box", "box"))
    vpc = Thing("aws:ec2/vpc:Vpc", "net", {"cidrBlock": "10.0.0.0/16"}, inside)
    subnets = [
        Thing("aws:ec2/subnet:Subnet", f"subnet{at}", {"vpcId": vpc.id, "cidrBlock": f"10.0.{at}.0/24"}, inside)
        for at in range(3)
    ]
    Thing("aws:ec2/securityGroup:SecurityGroup", "group", {"vpcId": vpc.id, "description": "nodes"})
    Thing("aws:ec2/placementGroup:PlacementGroup", "close", {"name": "close", "strategy": "cluster"})
    for at in range(2):
        policy = json.dumps({"Version": "2012-10-17", "Statement": []})
        Thing("aws:iam/role:Role", f"role{at}", {"name": f"role{at}", "assumeRolePolicy": policy})
    bucket = Thing("aws:s3/bucket:Bucket", "bucket", {})
    secret = Output.secret("c2VjcmV0")
    Thing("aws:ssm/parameter:Parameter", "secret", {"type": "SecureString", "value": secret})
    Thing("aws:cloudwatch/logGroup:LogGroup", "logs", {"name": "/small/logs"})
    Thing(
        "aws:ec2/launchTemplate:LaunchTemplate", "template", {"instanceType": "p5.48xlarge"},
        ResourceOptions(depends_on=[bucket, *subnets]),
    )
"""
RESOURCES = 12


def _cases() -> list[Any]:
    """Who dies, whether after a killed up one goes on or destroys, the seed of the moment."""
    asked = int(os.environ.get(SWEEP, "0"))
    return [
        pytest.param(who, direction, seed, id=f"{who}-{direction}-{seed}", marks=[pytest.mark.slow] if asked else [])
        for who in WHO
        for direction, share in (("up", 1.0), ("up-then-destroy", 0.25), ("destroy", 1.0))
        for seed in range(math.ceil((asked or SAMPLE) * share))
    ]


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a project whose resources are all there."""
    folder = tmp_path_factory.mktemp("standing")
    _write(folder)
    _run(folder, "pulumi", "up", "--yes", "--skip-preview", "--stack", "dev")
    return folder


@pytest.mark.parametrize(("who", "direction", "seed"), _cases())
def test_a_killed_run_is_recovered_and_the_next_one_converges(
    who: str, direction: str, seed: int, crash: Any, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    chance = random.Random(f"{who} {direction} {seed}")
    command = direction.split("-")[0]
    # A moment in which at least one operation is done and one is not.
    amount, delay = chance.randrange(1, RESOURCES), chance.choice([0.0, chance.uniform(0, 0.02)])
    if command == "destroy":
        shutil.copytree(request.getfixturevalue("standing"), tmp_path, dirs_exist_ok=True)
    else:
        _write(tmp_path)
    options = ("--yes", "--skip-preview", "--stack", "dev")
    crash(who, amount, delay).during(tmp_path, command, *options)

    said = _run(tmp_path, "recover", "--stack", "dev")
    assert _disagreements(tmp_path) == [], said
    assert _run(tmp_path, "recover", "--stack", "dev") == ""
    again = "destroy" if direction.endswith("destroy") else "up"
    _run(tmp_path, "pulumi", again, *options)
    _check_converged(tmp_path, {"destroy": 0, "up": RESOURCES}[again], "dev")


def _check_converged(root: Path, amount: int, stack: str) -> None:
    """Ledger and state hold the same, nothing is there twice, and nothing is left to do."""
    file = root / ".sandbox/state/.pulumi/stacks" / _project(root).name / f"{stack}.json"
    state = json.loads(file.read_text())["checkpoint"]["latest"]
    owned = Counter(
        (item["type"], item["id"], item["urn"])
        for item in state.get("resources", [])
        if item.get("custom") and not item["type"].startswith("pulumi:")
    )
    cloud = _project(root).store.existing()
    assert Counter((entry.type, entry.id, entry.urn) for entry in cloud) == owned
    assert len(cloud) == amount
    assert _twice(entry.urn for entry in cloud) == []
    # Objects of different namespaces may share a name; their ids are unique.
    named = (entry for entry in cloud if entry.name and entry.provider == "aws")
    assert _twice((entry.scope, entry.type, entry.name) for entry in named) == []
    assert not state.get("pending_operations")
    assert _disagreements(root) == []
    if amount:
        _run(root, "pulumi", "preview", "--expect-no-changes", "--stack", stack)


def _twice(keys: Iterable[object]) -> list[object]:
    return [key for key, times in Counter(keys).items() if times > 1]


def _disagreements(root: Path) -> list[Difference]:
    return [difference for difference in differences(_project(root)) if difference]


def _project(root: Path) -> Project:
    return Project(root / "Pulumi.yaml")


def _write(root: Path) -> None:
    (root / "stacks").mkdir()
    (root / "Pulumi.yaml").write_text(
        f"name: small\nruntime: {{name: python, options: {{virtualenv: {sys.prefix}}}}}\n"
        "main: stacks/\nstackConfigDir: stacks/\n"
    )
    (root / "stacks" / "Pulumi.dev.yaml").write_text("config: {aws:region: us-east-1}\n")
    (root / "stacks" / "__main__.py").write_text(textwrap.dedent(PROGRAM))


def _run(root: Path, *args: str) -> str:
    """Runs `sandbox ARGS`; returns its output, and fails the test when it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "sandbox", *args],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _trial_cases() -> list[Any]:
    asked = int(os.environ.get(SWEEP, "0"))
    sample = [("both", "up"), ("engine", "destroy")]
    cases = [(who, direction) for who in WHO for direction in ("up", "destroy")] if asked else sample
    return [pytest.param(who, direction, id=f"{who}-{direction}") for who, direction in cases]


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trial stack, all up."""
    folder = tmp_path_factory.mktemp("trial")
    _copy_project(folder)
    _run(folder, "pulumi", "up", "--yes", "--skip-preview", "--stack", "aws-trial")
    return folder


@pytest.mark.parametrize(("who", "direction"), _trial_cases())
def test_the_trial_cluster_survives_a_crash(who: str, direction: str, crash: Any, trial: Path, tmp_path: Path) -> None:
    whole = len(_project(trial).store.existing())
    moment = random.Random(f"trial {who} {direction}").randrange(5, whole - 5)
    if direction == "up":
        _copy_project(tmp_path)
    else:
        shutil.copytree(trial, tmp_path, symlinks=True, dirs_exist_ok=True)
    options = ("--yes", "--skip-preview", "--stack", "aws-trial")
    assert crash(who, moment, 0.0).during(tmp_path, direction, *options)
    said = _run(tmp_path, "recover", "--stack", "aws-trial")
    assert _disagreements(tmp_path) == [], said
    _run(tmp_path, "pulumi", direction, *options)
    _check_converged(tmp_path, whole if direction == "up" else 0, "aws-trial")


def _copy_project(folder: Path) -> None:
    shutil.copy(ROOT / "Pulumi.yaml", folder)
    shutil.copytree(ROOT / "stacks", folder / "stacks", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / ".venv").symlink_to(sys.prefix)
