"""One minor version up on the real engine, in the order that `gpucluster upgrade --plan` gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner

from gpucluster.account.upgrade.command import upgrade

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(1200)]

CLUSTER: Final = "trial-control-plane-cluster"
NODES: Final = "trial-training-nodes"
REFUSALS: Final = {
    "aws": "Unsupported Kubernetes minor version update from 1.34 to 1.36",
    "gcp": "cannot upgrade the master more than a minor version at a time.",
    "azure": "Upgrading Kubernetes version 1.34.0 to 1.36 is not allowed. Available upgrades: [1.35].",
}
NODES_OF: Final = {
    "1.34": {"aws": "1.34", "gcp": "1.34.1-gke.1829001", "azure": "1.34"},
    "1.35": {"aws": "1.35", "gcp": "1.35.2-gke.1842000", "azure": "1.35"},
    "1.36": {"aws": "1.36", "gcp": "1.36.2-gke.1498000", "azure": "1.36"},
}
TRAINING: Final = "training:\n"


@pytest.mark.parametrize("cloud", REFUSALS)
def test_a_skipped_version_is_refused_and_the_next_goes_plane_first_then_system_then_gpu_nodes(
    cloud: str, tmp_path: Path, copy: Callable[[Path], Any]
) -> None:
    stack, project = f"{cloud}-trial", copy(tmp_path)
    spec = project.path / "stacks/specs/trial.yaml"
    trial = spec.read_text()

    def write(*, roll: bool = False, **versions: str) -> None:
        lines = "".join(f"  {name}: '{value}'\n" for name, value in versions.items())
        training = "training:\n  roll: true\n" if roll else TRAINING
        spec.write_text(f"{trial.replace(TRAINING, training)}\nversions:\n{lines}")

    def changed(plan: str) -> dict[str, str]:
        return {step["urn"].split("::")[-1]: step["op"] for step in json.loads(plan)["steps"] if step["op"] != "same"}

    def told() -> str:
        exported = project.pulumi("stack", "export", stack=stack).out
        return CliRunner().invoke(upgrade, ["--plan", "--stack", stack, "--state", "-"], input=exported).output

    older, old, new = (NODES_OF[minor][cloud] for minor in NODES_OF)
    write(kubernetes="1.34", system=older, nodes=older)
    assert project.pulumi("up", "--yes", "--skip-preview", stack=stack).code == 0

    write(kubernetes="1.36", system=older, nodes=older)
    skipped = project.pulumi("up", "--yes", "--skip-preview", stack=stack)
    assert skipped.code != 0
    assert REFUSALS[cloud] in skipped.text, skipped.text

    write(kubernetes="1.35", system=old, nodes=old, roll=True)
    between = project.pulumi("up", "--yes", "--skip-preview", stack=stack)
    assert between.code == 0, between.text
    assert "Upgrade to 1.36 in this order" in told()

    write(kubernetes="1.36", system=old, nodes=old)  # the control plane
    plane = project.pulumi("preview", "--json", "--show-sames", stack=stack)
    assert plane.code == 0, plane.text
    assert changed(plane.out)[CLUSTER] == "update"
    assert NODES not in changed(plane.out)
    assert project.pulumi("up", "--yes", "--skip-preview", stack=stack).code == 0
    assert f"{NODES}: GPU nodes, 1.35" in told()
    assert ", 1 minor version behind" in told()

    write(kubernetes="1.36", system=new, nodes=old)  # the system pool
    system = project.pulumi("preview", "--json", "--show-sames", stack=stack)
    assert changed(system.out).get("trial-system-nodes" if cloud != "azure" else CLUSTER) == "update"
    assert NODES not in changed(system.out)

    write(kubernetes="1.36", system=new, nodes=new)  # GPU nodes: not without a word
    refused = project.pulumi("preview", stack=stack)
    assert refused.code != 0
    assert "trial-training: replaces 5 x " in refused.text
    assert "at stake are 40 GPU-hours ($" in refused.text
    write(kubernetes="1.36", system=new, nodes=new, roll=True)
    rolled = project.pulumi("up", "--yes", "--skip-preview", stack=stack)
    assert rolled.code == 0, rolled.text
    after = json.loads(project.pulumi("stack", "export", stack=stack).out)["deployment"]["resources"]
    nodes = next(it["outputs"] for it in after if it["urn"].endswith(f"::{NODES}"))
    assert str(nodes.get("version") or nodes.get("currentOrchestratorVersion")).startswith("1.36")
