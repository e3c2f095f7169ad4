"""The same spec on Google Cloud, and every example of its own, on the real engine: from the first preview to an empty
cloud.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]
STACK = "gcp-trial"
WHOLE = {"mega-on-demand", "ultra"}
"""Each other fabric's own networks and machines: previewed again once they stand."""
APART = ["calendar", "own-network"]
"""Those with tests of their own: here, and in tests/stacks/test_existing_network.py."""
OTHERS = sorted({path.stem for path in (ROOT / "examples/specs/gcp").glob("*.yaml")} - {*APART})
"""Every fabric, and every purchase option, place and store."""


@pytest.fixture
def standing_for(tmp_path: Path, copy: Callable[[Path], Any]) -> Callable[[str], Any]:
    """A project whose stack stands for an example."""

    def run(example: str) -> Any:
        project = copy(tmp_path)
        shutil.copy(ROOT / f"examples/specs/gcp/{example}.yaml", project.path / "stacks/specs/trial.yaml")
        return project

    return run


def test_a_first_preview_of_the_trial_is_priced_and_passes_the_policies(project: Any) -> None:
    done = project.pulumi("preview", "--policy-pack", "policies", stack=STACK)
    assert done.code == 0, done.text
    assert "5 x a3-megagpu-8g on demand (trial-training-nodes)" in done.out
    assert "$340,910.00" in done.out  # 5 x 93.40 x 730
    assert "Not priced" not in done.out
    assert "mandatory" not in done.text


def test_a_spec_content_with_800_gigabits_takes_a3_high(project: Any) -> None:
    project.change("stacks/specs/trial.yaml", "fabric_gbps: 1600", "fabric_gbps: 800")
    done = project.pulumi("preview", stack=STACK)
    assert done.code == 0, done.text
    assert "5 x a3-highgpu-8g on demand (trial-training-nodes)" in done.out
    assert "$322,988.50" in done.out  # 5 x 88.49 x 730


def test_a_real_api_server_takes_every_object_of_the_trial_and_the_example_jobs(
    project: Any, judge_jobs: Callable[[Any, str], None]
) -> None:
    made = project.judged("up", "--yes", "--skip-preview", stack=STACK)
    assert made.code == 0, made.text
    assert "refused" not in made.err
    assert "accepted, 1 unchecked\n" in made.err
    assert "for want of a definition: 1 GCENodeClass.karpenter.k8s.gcp\n" in made.err
    judge_jobs(project, STACK)
    outputs = project.outputs(STACK)
    assert outputs["account"] == "my-project"
    assert outputs["metrics"] == "https://monitoring.googleapis.com/v1/projects/my-project/location/global/prometheus"
    [user] = outputs["kubeconfig"]["users"]
    assert user["user"]["exec"]["command"] == "gke-gcloud-auth-plugin"
    assert "args" not in user["user"]["exec"]
    state = json.loads(project.pulumi("stack", "export", "--show-secrets", stack=STACK).out)["deployment"]["resources"]
    [inside] = [item["inputs"] for item in state if item["type"] == "pulumi:providers:kubernetes"]
    [up] = json.loads(json.loads(inside["kubeconfig"]["plaintext"]))["users"]
    assert up["user"]["exec"]["args"] == ["--use_application_default_credentials=true"]
    assert outputs["clusterName"] == "trial-gcp-trial"
    assert outputs["sharedStorage"]["claim"] == "shared"
    assert outputs["logs"]["command"].startswith('gcloud logging read \'resource.type="k8s_container" AND ')
    assert outputs["next"][0] == "gpucluster sandbox connect --stack gcp-trial"


@pytest.mark.slow
@pytest.mark.parametrize(
    "example", [pytest.param(one, marks=pytest.mark.core) if one == "ultra" else one for one in OTHERS]
)
def test_every_kind_is_built_and_goes(example: str, standing_for: Callable[[str], Any]) -> None:
    project = standing_for(example)
    made = project.pulumi("up", "--yes", "--skip-preview", "--policy-pack", "policies", stack=STACK)
    assert made.code == 0, made.text
    assert "[mandatory]" not in made.text
    if example in WHOLE:
        after = project.pulumi("preview", "--expect-no-changes", stack=STACK)
        assert after.code == 0, after.text
    gone = project.pulumi("destroy", "--yes", "--skip-preview", stack=STACK)
    assert gone.code == 0, gone.text
    # The right of people to see clusters, which they may need for others.
    kept = ["gcp:projects/iAMMember:IAMMember"] * 3 if example == "teams" else []
    assert [entry["type"] for entry in project.ledger()] == kept


@pytest.mark.slow
def test_a_calendar_reservation_gets_its_nodes_in_place_once_it_is_delivered(
    standing_for: Callable[[str], Any],
) -> None:
    project = standing_for("calendar")
    waiting = project.pulumi("up", "--yes", "--skip-preview", "--policy-pack", "policies", stack=STACK)
    assert waiting.code == 0, waiting.text
    assert "[mandatory]" not in waiting.text
    project.change("stacks/specs/trial.yaml", "active: false", "active: true")
    begun = project.pulumi("up", "--yes", "--skip-preview", "--policy-pack", "policies", stack=STACK)
    assert begun.code == 0, begun.text
    assert " ~  gcp:container:NodePool calendar-training-nodes updated" in begun.out
    assert "replaced" not in begun.out
    gone = project.pulumi("destroy", "--yes", "--skip-preview", stack=STACK)
    assert gone.code == 0, gone.text
    assert project.ledger() == []
