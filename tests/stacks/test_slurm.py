"""Slurm on a stack with a real API server: a failed start and its recovery, other nodes, the way back to Kueue, and a
second stack beside it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = [pytest.mark.engine, pytest.mark.slow]

WHY = "no endpoints available for service"
BOTH = "jobs: {scheduler: both, slurm_pools: [training]}\n"


def _scheduler(project: Any, jobs: str) -> None:
    """Sets the last line of the spec."""
    spec = project.path / "stacks/specs/trial.yaml"
    kept = [line for line in spec.read_text().splitlines(keepends=True) if not line.startswith("jobs:")]
    spec.write_text("".join(kept) + jobs)


def _node_sets(project: Any, stack: str) -> dict[str, int]:
    """Node set -> its nodes."""
    done = project.kubectl("get", "nodesets", "--namespace", "slurm", "--output", "json", stack=stack)
    assert done.code == 0, done.text
    return {item["metadata"]["name"]: item["spec"]["replicas"] for item in json.loads(done.out)["items"]}


def _up(project: Any, stack: str = "aws-trial") -> None:
    done = project.judged("up", "--yes", "--skip-preview", stack=stack)
    assert done.code == 0, done.text


def test_slurm_starts_after_a_failure_changes_and_leaves_the_pool_to_kueue(
    tmp_path: Path, copy: Callable[[Path], Any]
) -> None:
    project = copy(tmp_path)
    _scheduler(project, BOTH)
    fault = project.path / "fault.yaml"
    refused = {"type": "kubernetes:slinky.slurm.net/v1beta1:Controller", "times": 1, "fails": "refused", "error": WHY}
    fault.write_text(yaml.safe_dump({"operations": [refused]}))
    command = ["pulumi", "up", "--yes", "--skip-preview", "--stack", "aws-trial"]
    failed = project.run("sandbox", "--kubernetes", "real", "--scenario", str(fault), *command)
    assert failed.code == 1, failed.text
    assert WHY in failed.text
    assert "Traceback" not in failed.text

    _up(project)
    assert _node_sets(project, "aws-trial") == {"training": 4}
    same = project.judged("preview", "--expect-no-changes", stack="aws-trial")
    assert same.code == 0, same.text

    project.change("stacks/specs/trial.yaml", "nodes: 4", "nodes: 3")
    _up(project)
    assert _node_sets(project, "aws-trial") == {"training": 3}

    # Nodes of an elastic pool are the users' to count.
    _scheduler(project, "jobs: {scheduler: slurm}\n")
    _up(project)
    assert _node_sets(project, "aws-trial") == {"dev": 0, "training": 3}
    scaled = project.kubectl("scale", "nodeset", "dev", "--replicas=2", "--namespace=slurm", stack="aws-trial")
    assert scaled.code == 0, scaled.text
    _up(project)
    assert _node_sets(project, "aws-trial") == {"dev": 2, "training": 3}

    _scheduler(project, "")
    _up(project)
    gone = project.kubectl("get", "namespaces", "--output", "name", stack="aws-trial")
    assert not {"namespace/slurm", "namespace/slinky"} & {*gone.out.split()}, gone.text


def test_two_stacks_with_slurm_stand_beside_each_other_and_go(tmp_path: Path, copy: Callable[[Path], Any]) -> None:
    project = copy(tmp_path)
    _scheduler(project, BOTH)
    for stack in ("aws-trial", "gcp-trial"):
        _up(project, stack)
    assert (_node_sets(project, "aws-trial"), _node_sets(project, "gcp-trial")) == ({"training": 4}, {"training": 4})
    for stack in ("aws-trial", "gcp-trial"):
        ended = project.judged("destroy", "--yes", "--skip-preview", stack=stack)
        assert ended.code == 0, ended.text
    assert project.ledger() == []
