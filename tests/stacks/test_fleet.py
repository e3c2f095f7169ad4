"""The fleet of the examples on the real engine: workers before their manager, an `up` of each side that fails in the
middle and goes on at the second, and a fleet that is removed again.
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
SIDES: Final = {"gcp": "fleet-worker", "azure": "fleet-worker", "aws": "fleet-manager"}
"""Cloud -> its example, in the order in which they come up."""
FAULTS: Final = {
    "gcp": {"type": "kubernetes:core/v1:ServiceAccount", "name": "worker-fleet-account"},
    "aws": {"type": "kubernetes:kueue.x-k8s.io/v1beta2:MultiKueueCluster", "name": "manager-fleet-gcp-trial-cluster"},
}
"""Cloud -> object of its side that its API server once refuses."""
SAID: Final = "etcdserver: request timed out"


def test_a_fleet_comes_up_goes_on_after_a_failure_on_either_side_and_is_removed_again(
    tmp_path: Path, copy: Callable[[Path], Any]
) -> None:
    project = copy(tmp_path)
    for cloud, example in SIDES.items():
        shutil.copy(ROOT / f"examples/specs/{cloud}/{example}.yaml", project.path / f"stacks/specs/{cloud}.yaml")
        project.change(f"stacks/Pulumi.{cloud}-trial.yaml", "specs/trial.yaml", f"specs/{cloud}.yaml")

    def up(cloud: str) -> Any:
        return project.pulumi("up", "--yes", "--skip-preview", stack=f"{cloud}-trial")

    def leave(cloud: str) -> None:
        file = project.path / f"stacks/specs/{cloud}.yaml"
        spec = yaml.safe_load(file.read_text())
        del spec["fleet"]
        file.write_text(yaml.safe_dump(spec))

    def failed(cloud: str) -> None:
        scenario = project.path / "fault.yaml"
        fault = {**FAULTS[cloud], "times": 1, "fails": "refused", "error": SAID}
        scenario.write_text(yaml.safe_dump({"operations": [fault]}))
        ended = project.run(
            "sandbox",
            *("--scenario", str(scenario), "pulumi", "up", "--yes", "--skip-preview", "--stack", f"{cloud}-trial"),
        )
        assert ended.code != 0
        assert SAID in ended.text
        assert "Traceback" not in ended.text

    def of_the_fleet(cloud: str) -> set[str]:
        """The names of its side's objects, in the program."""
        state = json.loads(project.pulumi("stack", "export", stack=f"{cloud}-trial").out)
        names = [one["urn"].split("::")[-1] for one in state["deployment"]["resources"]]
        return {name for name in names if "-fleet" in name}

    early = up("aws")
    assert early.code != 0
    assert "fleet.workers has gcp-trial, which has no worker of a fleet" in early.text
    assert project.ledger() == []
    for cloud in SIDES:
        if cloud in FAULTS:
            failed(cloud)
        made = up(cloud)
        assert made.code == 0, made.text
    same = project.pulumi("preview", "--expect-no-changes", stack="aws-trial")
    assert same.code == 0, same.text
    assert {"manager-fleet-gcp-trial-cluster", "manager-fleet-cluster-queue"} <= of_the_fleet("aws")
    assert {"worker-fleet-account", "worker-fleet-queue"} <= of_the_fleet("gcp")
    assert {"fleet", "fleetKubeconfig"} <= {*project.outputs("gcp-trial")}
    for cloud in ("aws", "gcp"):
        leave(cloud)
        left = up(cloud)
        assert left.code == 0, left.text
        assert of_the_fleet(cloud) == set()
    assert not {"fleet", "fleetKubeconfig"} & {*project.outputs("gcp-trial")}
    for cloud in SIDES:
        gone = project.pulumi("destroy", "--yes", "--skip-preview", stack=f"{cloud}-trial")
        assert gone.code == 0, gone.text
    assert project.ledger() == []
