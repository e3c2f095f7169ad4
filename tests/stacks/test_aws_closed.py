"""A cluster in a closed network on the real engine, in the two steps that docs/run/access.md asks for."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.engine, pytest.mark.slow]

ROOT = Path(__file__).parents[2]


@pytest.mark.usefixtures("full_output")
def test_a_closed_cluster_is_made_in_two_steps_and_leaves_nothing(project: Any) -> None:
    shutil.copy(ROOT / "examples/specs/aws/closed.yaml", project.path / "stacks/specs/trial.yaml")
    targets = re.findall(r"--target '(\S*:aws:\S*)'", (ROOT / "docs/run/access.md").read_text())
    assert len(targets) == 3

    first = project.pulumi("up", "--yes", "--skip-preview", *(f"--target={target}" for target in targets))
    assert first.code == 0, first.text
    types = {item["type"] for item in project.ledger()}
    assert {"aws:ec2/vpcEndpoint:VpcEndpoint", "aws:eks/cluster:Cluster"} <= types
    assert types & {"aws:eks/nodeGroup:NodeGroup", "aws:fsx/lustreFileSystem:LustreFileSystem"} == set()

    done = project.pulumi("up", "--yes", "--policy-pack", "policies")
    assert done.code == 0, done.text
    assert "API reachable inside only, through your VPN or peering from 10.200.0.0/16" in done.out
    assert "Not priced" not in done.out
    assert "mandatory" not in done.text
    again = project.pulumi("preview", "--expect-no-changes")
    assert again.code == 0, again.text

    gone = project.pulumi("destroy", "--yes", "--skip-preview")
    assert gone.code == 0, gone.text
    assert project.ledger() == []
