"""A trial from its first `up` to its end on the real engine: paused, resumed, ended, and what it leaves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.says import Says
from tests.stacks.conftest import Done, Project

pytestmark = [pytest.mark.engine, pytest.mark.slow]


@pytest.fixture(scope="module")
def trial(copy: Callable[[Path], Project], tmp_path_factory: pytest.TempPathFactory) -> Project:
    """One that stands."""
    project = copy(tmp_path_factory.mktemp("trial"))
    done = project.pulumi("up", "--yes", "--skip-preview")
    assert done.code == 0, done.text
    return project


def outputs(trial: Project) -> dict[str, Any]:
    return json.loads(trial.pulumi("stack", "output", "--json").out)


def reap(trial: Project, *more: str) -> Done:
    return trial.run("sandbox", "reap", "--stack", "aws-trial", *more)


def nodes(trial: Project) -> dict[str, int]:
    state = json.loads(trial.pulumi("stack", "export").out)["deployment"]["resources"]
    groups = [one for one in state if one["type"] == "aws:eks/nodeGroup:NodeGroup"]
    return {one["urn"].rsplit("::", 1)[-1]: one["inputs"]["scalingConfig"]["desiredSize"] for one in groups}


def rewrite(trial: Project, change: Callable[[dict[str, Any]], None]) -> None:
    """Changes each resource of the state."""
    state = json.loads(trial.pulumi("stack", "export").out)
    for resource in state["deployment"]["resources"]:
        change(resource)
    (trial.path / "state.json").write_text(json.dumps(state))
    done = trial.pulumi("stack", "import", "--file", "state.json")
    assert done.code == 0, done.text


def test_the_end_is_fixed_by_the_first_up_and_a_second_preview_is_empty(trial: Project) -> None:
    before = outputs(trial)
    assert before["ends"] > before["begun"]
    done = trial.pulumi("preview", "--expect-no-changes")
    assert done.code == 0, done.text
    begun, ends = (f"{before[name][:10]} {before[name][11:16]} UTC" for name in ("begun", "ends"))
    assert f"started {begun}, ends {ends}, in 14.0 days: $" in " ".join(done.text.split())
    assert " so far; $99,178.72 at the end if unchanged" in " ".join(done.text.split())
    again = trial.pulumi("up", "--yes", "--skip-preview")
    assert (again.code, outputs(trial)["begun"]) == (0, before["begun"]), again.text


def test_a_pause_takes_the_nodes_alone_and_a_resume_brings_them_back(trial: Project) -> None:
    before = nodes(trial)
    done = trial.run("sandbox", "pause", "--stack", "aws-trial", "--yes")
    assert done.code == 0, done.text
    assert done.out == Says("$201,096.00", "$6,611.38")
    assert "~ 2 updated" in done.text  # the node group, and the notes of the cluster
    assert done.out.splitlines()[-1] == Says("aws-trial", "$472.42", "gpucluster sandbox resume --stack aws-trial")
    assert nodes(trial) == {**before, "trial-training-nodes": 0}
    again = trial.run("sandbox", "pause", "--stack", "aws-trial", "--yes")
    assert (again.code, again.out) == (0, "aws-trial: no nodes to pause: its training and MIG pools have none.\n")
    back = trial.run("sandbox", "resume", "--stack", "aws-trial", "--yes")
    assert (back.code, back.out.splitlines()[-1]) == (0, "aws-trial: resumed; $7,084.19 a day"), back.text
    assert nodes(trial) == before


def test_before_its_end_nothing_is_destroyed(trial: Project) -> None:
    done = reap(trial, "--yes")
    assert (done.code, done.out.splitlines()[-1]) == (0, "No stack has expired."), done.text


def test_after_its_end_all_but_what_is_protected_goes_and_stays_gone(trial: Project) -> None:
    def age(resource: dict[str, Any]) -> None:
        if resource["type"] == "pulumi:pulumi:Stack":
            resource["outputs"]["begun"] = "2026-01-01T10:00:00+00:00"
        if resource["type"] == "aws:fsx/lustreFileSystem:LustreFileSystem":
            resource["protect"] = True

    rewrite(trial, age)
    warned = trial.pulumi("preview").text
    assert "ended 2026-01-15 10:00 UTC" in warned
    assert "a longer `duration` in the spec keeps this one" in warned
    told = reap(trial)
    assert (told.code, told.out.splitlines()[-1]) == (1, Says("gpucluster sandbox reap --stack aws-trial --yes")), (
        told.text
    )
    assert len(nodes(trial)) == 2
    for _ in range(2):
        done = reap(trial, "--yes")
        assert done.code == 1, done.text
        assert "aws-trial: kept, protected: trial-storage-shared (aws:fsx/lustreFileSystem" in done.out
        assert done.out.splitlines()[-1].startswith("aws-trial: remaining: 12 resources, $125.")
    left = trial.run("sandbox", "leftovers", "--stack", "aws-trial")
    kind, cost, remove, *_, summary = left.out.splitlines()
    assert (left.code, kind.split("  ")[0]) == (1, "aws:fsx/lustreFileSystem:LustreFileSystem")
    assert (cost, remove) == (
        "  $125.85 a day",
        f"  aws fsx delete-file-system --file-system-id {kind.split('  ')[1]} --region us-east-1",
    )
    assert summary == "aws-trial: 12 left, $125.85 a day"


def test_storage_that_is_no_longer_protected_goes_with_the_next_reap(trial: Project) -> None:
    rewrite(trial, lambda resource: resource.update(protect=False))
    done = reap(trial, "--yes")
    assert (done.code, done.out.splitlines()[-1]) == (0, "aws-trial: destroyed"), done.text
    again = reap(trial, "--yes")
    assert (again.code, again.out) == (0, "aws-trial: no resources\nNo stack has expired.\n")
    left = trial.run("sandbox", "leftovers", "--stack", "aws-trial")
    assert (left.code, left.out) == (0, "aws-trial: nothing is left.\n")
