"""The same spec on Azure, and every example of its own, on the real engine, from a first preview to an empty cloud."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]
STACK = "azure-trial"
EXAMPLES = sorted(path.stem for path in (ROOT / "examples/specs/azure").glob("*.yaml"))


def test_a_first_preview_of_the_trial_is_priced_and_names_what_has_no_price(project: Any) -> None:
    done = project.pulumi("preview", "--policy-pack", "policies", stack=STACK)
    assert done.code == 0, done.text
    assert re.search(r"5 x Standard_ND96isr_H100_v5 on demand\s+\(trial-training-nodes\)", done.out)
    assert "$358,868.00" in done.out  # 5 x 98.32 x 730
    _, unpriced = done.out.split("Not priced (GPUCLUSTER_OUTPUT=full has reasons and bounds)")
    assert "trial-storage-shared" in unpriced
    assert re.search(r"^Total +\$[\d,.]+ to \$[\d,.]+ a month", done.out, re.MULTILINE)
    assert "[mandatory]" not in done.text


def test_a_real_api_server_takes_every_object_of_the_trial_and_the_example_jobs(
    project: Any, judge_jobs: Callable[[Any, str], None]
) -> None:
    made = project.judged("up", "--yes", "--skip-preview", stack=STACK)
    assert made.code == 0, made.text
    assert "refused" not in made.err
    assert "accepted, 6 unchecked\n" in made.err
    unchecked = (
        "1 NicClusterPolicy.mellanox.com, 3 PodMonitor.azmonitoring.coreos.com, "
        "2 ServiceMonitor.azmonitoring.coreos.com"
    )
    assert f"for want of a definition: {unchecked}\n" in made.err
    judge_jobs(project, STACK)
    outputs = project.outputs(STACK)
    assert re.fullmatch(r"/subscriptions/[0-]+/resourceGroups/trial-group\w+", outputs["account"])
    assert ".eastus.prometheus.monitor." in outputs["metrics"]
    [user] = outputs["kubeconfig"]["users"]
    assert user["user"]["exec"]["command"] == "kubelogin"
    assert outputs["clusterName"] == "trial-azure-trial"
    assert outputs["sharedStorage"]["claim"] == "shared"
    assert re.fullmatch(
        r"https://portal\.azure\.com/#resource/subscriptions/[0-]+/resourceGroups/trial-group\w+/providers/"
        r"Microsoft\.OperationalInsights/workspaces/trial-logs-workspace\w+/logs",
        outputs["logs"]["console"],
    )
    assert re.match(r"az monitor log-analytics query --workspace [0-9a-f-]{36} ", outputs["logs"]["command"])
    assert outputs["next"][0] == "gpucluster sandbox connect --stack azure-trial"


@pytest.mark.slow
@pytest.mark.parametrize(
    "example", [pytest.param(one, marks=pytest.mark.core) if one == "mig" else one for one in EXAMPLES]
)
def test_every_kind_is_built_and_goes(example: str, project: Any) -> None:
    shutil.copy(ROOT / f"examples/specs/azure/{example}.yaml", project.path / "stacks/specs/trial.yaml")
    made = project.pulumi("up", "--yes", "--skip-preview", "--policy-pack", "policies", stack=STACK)
    assert made.code == 0, made.text
    assert "[mandatory]" not in made.text
    gone = project.pulumi("destroy", "--yes", "--skip-preview", stack=STACK)
    assert gone.code == 0, gone.text
    assert project.ledger() == []


@pytest.mark.slow
def test_a_subscription_without_the_feature_of_infiniband_gets_nothing_that_costs(project: Any) -> None:
    scenario = str(ROOT / "examples/scenarios/azure-without-infiniband-feature.yaml")
    # Nothing is asked before there is a group.
    preview = project.run("sandbox", "--scenario", scenario, "pulumi", "preview", "--stack", STACK)
    assert preview.code == 0, preview.text
    ended = project.run("sandbox", "--scenario", scenario, "pulumi", "up", "--yes", "--skip-preview", "--stack", STACK)
    assert ended.code != 0
    assert "the feature AKSInfinibandSupport is NotRegistered in the subscription" in ended.text
    assert "Traceback" not in ended.text
    built = {entry["type"].removeprefix("azure-native:") for entry in project.ledger()}
    assert not {kind for kind in built if kind.startswith(("containerservice:", "network:", "storagecache:"))}


@pytest.mark.slow
def test_everything_that_a_stack_may_choose_is_built(project: Any) -> None:
    """The shared storage shows a container that was there before, as the scenario says."""
    with (project.path / f"stacks/Pulumi.{STACK}.yaml").open("a") as file:
        file.write(
            "  gpucluster:gpuDriver: aks\n"
            '  gpucluster:scaleSetLimit: "300"\n'
            '  gpucluster:proximityGroup: "true"\n'
            "  gpucluster:infinibandFeature: waived\n"
            "  gpucluster:bucketGroup: data\n"
            "  gpucluster:lustrePrincipal: 99999999-8888-7777-6666-555555555555\n"
        )
    bucket = "bucket: https://mytrainingdata.blob.core.windows.net/tokens"
    project.change("stacks/specs/trial.yaml", "usable_tib: 20", f"usable_tib: 20\n    {bucket}")
    scenario = str(ROOT / "examples/scenarios/azure-container.yaml")
    made = project.run("sandbox", "--scenario", scenario, "pulumi", "up", "--yes", "--skip-preview", "--stack", STACK)
    assert made.code == 0, made.text
    after = project.pulumi("preview", "--expect-no-changes", stack=STACK)
    assert after.code == 0, after.text
    gone = project.pulumi("destroy", "--yes", "--skip-preview", stack=STACK)
    assert gone.code == 0, gone.text
    assert [entry["type"].removeprefix("azure-native:") for entry in project.ledger()] == [
        "authorization:RoleAssignment",  # of Managed Lustre's service, which other clusters may use
        "authorization:RoleAssignment",
        "resources:ResourceGroup",
        "storage:BlobContainer",
        "storage:StorageAccount",
    ]
