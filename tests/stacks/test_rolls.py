"""What changes do to training nodes that run, on the real engine: labels nothing, and nothing else unasked."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.engine, pytest.mark.slow]

NODES, TEMPLATE = "trial-training-nodes", "trial-training-template"


@dataclass(frozen=True)
class Case:
    """program: another version of this project, with other nodes. named: what the refusal says of it."""

    machines: str
    program: str
    named: str


CASES = {
    "aws": Case(
        machines="5 x p5.48xlarge",
        program="import gpucluster.components.aws.pools.training_pool as other\n\nother._placement = lambda *_: None\n",
        named=f"{TEMPLATE} changes in placement",
    ),
    "gcp": Case(
        machines="5 x a3-megagpu-8g",
        program=(
            "import gpucluster.components.gcp.pools.node_pool as other\n\n"
            'other._SYSCTLS = {"net.core.somaxconn": "1024"}\n'
        ),
        named=f"{NODES} changes in nodeConfig.linuxNodeConfig.sysctls.net.core.somaxconn",
    ),
    "azure": Case(
        machines="5 x Standard_ND96isr_H100_v5",
        program='import gpucluster.components.cluster.versions as other\n\nother.KUBERNETES = "1.36"\n',
        named=f"{NODES} changes in orchestratorVersion",
    ),
}


@pytest.mark.parametrize("cloud", CASES)
def test_a_label_reaches_nodes_in_place_and_what_replaces_them_is_refused_until_the_spec_allows_it(
    cloud: str, tmp_path: Path, copy: Callable[[Path], Any]
) -> None:
    case, stack, project = CASES[cloud], f"{cloud}-trial", copy(tmp_path)
    assert project.pulumi("up", "--yes", "--skip-preview", stack=stack).code == 0

    project.change("stacks/specs/trial.yaml", "owner: ml-platform", "owner: somebody-else\n  data-class: internal")
    project.change("stacks/specs/trial.yaml", "duration: 14d", "duration: 21d")
    labelled = project.pulumi("preview", "--json", "--show-sames", stack=stack)
    assert labelled.code == 0, labelled.text
    of_pool = {step for step in _steps(labelled.out) if step[1] in (NODES, TEMPLATE)}
    assert of_pool == {("update", NODES), *([("same", TEMPLATE)] if cloud == "aws" else [])}
    (project.path / "plan.json").write_text(labelled.out)
    told = project.run("guardrails", "check", "plan.json", "--quiet").out
    assert "replacement-of-training-pool" not in told
    assert cloud == "azure" or "required-labels" not in told  # AKS' own pool of CPU nodes keeps what it was made with

    project.change("stacks/__main__.py", "import gc\n", f"import gc\n\n{case.program}")
    sentence = f"trial-training: replaces {case.machines}, one at a time; jobs on them end: "
    for command in (("preview",), ("up", "--yes", "--skip-preview")):
        refused = project.pulumi(*command, stack=stack)
        assert refused.code != 0
        assert f"{sentence}{case.named}" in refused.text, refused.text
        assert "write training.roll: true into the spec for this update" in refused.text
        assert "Traceback" not in refused.text

    project.change("stacks/specs/trial.yaml", "  spares: 1 ", "  roll: true\n  spares: 1 ")
    rolled = project.pulumi("up", "--yes", "--skip-preview", stack=stack)
    assert rolled.code == 0, rolled.text
    assert "allowed by training.roll" in rolled.text.split(sentence)[1]

    project.change("stacks/specs/trial.yaml", "  roll: true\n", "")
    again = project.pulumi("preview", "--json", "--show-sames", stack=stack)
    assert {name for step, name in _steps(again.out) if step != "same"} == {"trial"}  # says that it may no more


def _steps(plan: str) -> set[tuple[str, str]]:
    """(what is done, logical name)."""
    return {(step["op"], step["urn"].split("::")[-1]) for step in json.loads(plan)["steps"]}


def test_another_setup_of_nodes_waits_for_a_roll(project: Any) -> None:
    """An upgrade of this project brings it, and nobody's jobs end for it."""
    assert project.pulumi("up", "--yes", "--skip-preview").code == 0
    program = 'import gpucluster.components.aws.pools.user_data as other\n\nother.GPU_NODE_SETUP += "echo another\\n"\n'
    project.change("stacks/__main__.py", "import gc\n", f"import gc\n\n{program}")
    kept = project.pulumi("preview", "--json", "--show-sames")
    assert kept.code == 0, kept.text
    assert {step for step in _steps(kept.out) if step[1] in (NODES, TEMPLATE)} == {("same", NODES), ("same", TEMPLATE)}
    project.change("stacks/specs/trial.yaml", "  spares: 1 ", "  roll: true\n  spares: 1 ")
    rolled = project.pulumi("preview")
    assert f"{TEMPLATE} changes in userData; allowed by training.roll" in rolled.text


def test_a_pause_removes_nodes_without_replacing_them_first_and_a_resume_starts_the_changed_ones(project: Any) -> None:
    """EKS changes the version of a group before its size: a template that the group follows would replace each node."""
    assert project.pulumi("up", "--yes", "--skip-preview").code == 0
    project.change("stacks/specs/trial.yaml", "owner: ml-platform", "owner: somebody-else")
    program = "import gpucluster.components.aws.pools.training_pool as other\n\nother._placement = lambda *_: None\n"
    setup = 'import gpucluster.components.aws.pools.user_data as setup\n\nsetup.GPU_NODE_SETUP += "echo another\\n"\n'
    project.change("stacks/__main__.py", "import gc\n", f"import gc\n\n{program}{setup}")
    # Without machines a version that changes first would fail.
    (project.path / "none.yaml").write_text(
        "capacity:\n- {cloud: aws, zone: us-east-1a, machine: p5.48xlarge, available: 0}\n"
    )

    def up(*scenario: str, paused: str) -> Any:
        command = ("pulumi", "up", "--yes", "--stack", "aws-trial", "--config", f"gpucluster:paused={paused}")
        return project.run("sandbox", *scenario, *command)

    paused = up("--scenario", "none.yaml", paused="true")
    assert paused.code == 0, paused.text
    assert "UpdateNodegroupVersion" not in paused.text
    assert _group(project) == ("1", 0)
    template = _resource(project, TEMPLATE)
    assert ("placement" in template["inputs"], template["outputs"]["latestVersion"]) == (False, 2)
    assert "echo another" not in base64.b64decode(template["inputs"]["userData"]).decode()
    resumed = up(paused="false")
    assert resumed.code == 0, resumed.text
    assert _group(project) == ("2", 5)


def _group(project: Any) -> tuple[str, int]:
    """Version of the template, and number of nodes."""
    found = _resource(project, NODES)["outputs"]
    return found["launchTemplate"]["version"], found["scalingConfig"]["desiredSize"]


def _resource(project: Any, name: str) -> dict[str, Any]:
    state = json.loads(project.pulumi("stack", "export").out)
    [found] = [one for one in state["deployment"]["resources"] if one["urn"].endswith(f"::{name}")]
    return found


def test_another_zone_makes_a_new_pool_and_is_refused_before_anything_is_made(project: Any) -> None:
    built = project.pulumi("up", "--yes", "--skip-preview", stack="gcp-trial")
    assert built.code == 0, built.text
    before = project.ledger()
    project.change("stacks/Pulumi.gcp-trial.yaml", "us-central1-b", "us-central1-a")
    refused = project.pulumi("up", "--yes", "--skip-preview", stack="gcp-trial")
    assert refused.code != 0
    assert "trial-training: replaces 5 x a3-megagpu-8g, all at once; jobs on them end" in refused.text
    assert [item["id"] for item in project.ledger() if item["type"].endswith("NodePool")] == [
        item["id"] for item in before if item["type"].endswith("NodePool")
    ]
