"""Clusters of B200 on the real engine: an `up` that fails in the middle and goes on, a change of their nodes beside an
H100 trial of the same account, and `destroy`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(900)]

ROOT: Final = Path(__file__).parents[2]
PLACES: Final = {
    "aws": {"cloud": "aws", "region": "us-east-2", "zone": "us-east-2a"},
    "gcp": {"cloud": "gcp", "project": "my-project", "region": "us-east4", "zone": "us-east4-b"},
}
POOLS: Final = {"aws": "aws:eks/nodeGroup:NodeGroup", "gcp": "gcp:container/nodePool:NodePool"}


@pytest.mark.parametrize("cloud", PLACES)
def test_four_nodes_of_b200_come_up_after_a_stockout_become_six_and_go(
    cloud: str, tmp_path: Path, copy: Callable[[Path], Any]
) -> None:
    project = copy(tmp_path)
    spec = project.path / "stacks/specs/b200.yaml"
    shutil.copy(ROOT / f"examples/specs/{cloud}/b200.yaml", spec)
    project.change("stacks/specs/b200.yaml", "budget:\n  monthly_usd: ", "budget:\n  monthly_usd: 1")  # six nodes
    config = {f"gpucluster:{setting}": value for setting, value in {"spec": "specs/b200.yaml", **PLACES[cloud]}.items()}
    (project.path / "stacks/Pulumi.b200.yaml").write_text(yaml.safe_dump({"config": config}))
    trial = project.pulumi("up", "--yes", "--skip-preview", stack=f"{cloud}-trial")
    assert trial.code == 0, trial.text
    alone = len(project.ledger())

    scenario = project.path / "stockout.yaml"
    pool = {
        "type": POOLS[cloud],
        "name": "b200-training-nodes",
        "times": 1,
        "fails": "refused",
        "error": "no capacity today",
    }
    scenario.write_text(yaml.safe_dump({"operations": [pool]}))
    failed = project.run(
        "sandbox",
        *("--scenario", str(scenario), "pulumi", "up", "--yes", "--skip-preview", "--stack", "b200"),
    )
    assert failed.code != 0
    assert "no capacity today" in failed.text
    up = project.pulumi("up", "--yes", "--skip-preview", stack="b200")
    assert up.code == 0, up.text
    same = project.pulumi("preview", "--expect-no-changes", stack="b200")
    assert same.code == 0, same.text

    project.change("stacks/specs/b200.yaml", "nodes: 4", "nodes: 6")
    plan = project.pulumi("preview", "--json", stack="b200")
    assert plan.code == 0, plan.text
    steps = {step["urn"].split("::")[-1]: step["op"] for step in json.loads(plan.out)["steps"] if step["op"] != "same"}
    assert {name: op for name, op in steps.items() if "training-nodes" in name} == {"b200-training-nodes": "update"}
    assert "replace" not in steps.values()
    assert "delete" not in steps.values()
    grown = project.pulumi("up", "--yes", "--skip-preview", stack="b200")
    assert grown.code == 0, grown.text
    gone = project.pulumi("destroy", "--yes", "--skip-preview", stack="b200")
    assert gone.code == 0, gone.text
    assert len(project.ledger()) == alone
    untouched = project.pulumi("preview", "--expect-no-changes", stack=f"{cloud}-trial")
    assert untouched.code == 0, untouched.text
