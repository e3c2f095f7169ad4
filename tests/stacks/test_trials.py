"""The trial of each cloud on the real engine with users' settings: its whole life, from the first preview to an empty
cloud.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gpucluster.core.catalog.clouds import clouds
from tests.stacks.conftest import Project

pytestmark = [pytest.mark.engine, pytest.mark.core, pytest.mark.checkpoints]

ORDER = {
    "aws": (
        # Karpenter ends its machines before what it needs for that: rights, the nodes it runs on, a way to EC2's API.
        ("trial-elastic-dev-pool", "trial-elastic-class", "trial-elastic-karpenter", "trial-elastic-karpenter-crd"),
        ("trial-elastic-karpenter-crd", "trial-elastic-node-access"),
        ("trial-elastic-karpenter-crd", "trial-elastic-interruption-queue"),
        ("trial-elastic-karpenter-crd", "trial-system-nodes", "trial-network-private-out"),
        ("trial-system-nodes", "trial-network-nat"),
        ("trial-system-nodes", "trial-network-gpu-route"),
    )
}
"""Cloud -> what goes before what."""

WEATHER = {
    cloud: ("--scenario", str(Path(__file__).parents[2] / f"examples/scenarios/{name}.yaml"))
    for cloud, name in (("azure", "azure-new-roles"), ("gcp", "gcp-new-project"))
}
"""Cloud -> what its trial is built under."""


@pytest.mark.parametrize("cloud", clouds())
def test_a_trial_is_built_stays_as_it_is_and_goes(cloud: str, project: Project) -> None:
    stack = f"{cloud}-trial"
    weather = WEATHER.get(cloud, ())
    made = project.run("sandbox", *weather, "pulumi", "up", "--yes", "--policy-pack", "policies", "--stack", stack)
    assert made.code == 0, made.text
    assert "[mandatory]" not in made.text
    previewed, updated = made.out.split(f"Updating ({stack})")
    assert (previewed.count(": list prices in USD"), updated.count(": list prices in USD")) == (1, 0)
    assert re.search(r"^Total +\$", updated, re.MULTILINE)
    assert {(item["type"], item["id"]) for item in project.ledger()} == _owned(project, stack)

    after = project.pulumi("preview", "--expect-no-changes", "--policy-pack", "policies", stack=stack)
    assert after.code == 0, after.text
    assert "(not-known-yet)" not in after.text
    assert "not evaluated: " not in after.text.replace("budget not evaluated: ", "")

    gone = project.pulumi("destroy", "--yes", stack=stack)
    assert gone.code == 0, gone.text
    assert project.ledger() == []
    order = _deleted(gone.out)
    assert order.index("trial-training-nodes") < order.index("trial-workspace-namespace")
    for names in ORDER.get(cloud, ()):
        places = [order.index(name) for name in names]
        assert places == sorted(places), names


def _owned(project: Project, stack: str) -> set[tuple[str, str]]:
    """(type, id) of what the state says is in the cloud."""
    resources = json.loads(project.pulumi("stack", "export", stack=stack).out)["deployment"]["resources"]
    own = (item for item in resources if item.get("custom") and not item["type"].startswith("pulumi:"))
    return {(item["type"], item["id"]) for item in own}


def _deleted(output: str) -> list[str]:
    """Logical names in the order in which the engine reports them gone."""
    lines = [line.split() for line in output.splitlines() if " deleted (" in line]
    return [words[words.index("deleted") - 1] for words in lines]
