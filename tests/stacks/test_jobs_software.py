"""The set of Kueue, JobSet and Trainer comes to a stack that stands with the one before, and to the jobs on it."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from gpucluster.components.kubernetes.objects.charts import CHART_SET

from .conftest import ROOT, Project

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(1200)]

STACK: Final = "aws-trial"
BEFORE: Final = {"trial-jobs-software-kueue": "0.19.2", "trial-jobs-software-trainer": "2.3.0"}
"""Release -> its version in release 0.2.0."""
KEPT: Final = "trainjobs,clustertrainingruntimes,clusterqueues,localqueues,resourceflavors,workloadpriorityclasses"


def test_the_set_comes_in_place_once_it_is_confirmed_and_jobs_and_queues_stay(project: Project) -> None:
    _up(project)
    job = ROOT / "examples" / "jobs" / "pytorch.yaml"
    assert project.kubectl("create", f"--filename={job}", stack=STACK).code == 0
    there = _objects(project)
    _set_back(project)

    refused = project.pulumi("preview", stack=STACK)
    assert refused.code != 0
    assert "Trainer 2.3.0 -> 2.2.1 deletes all TrainJobs and runtimes" in refused.text

    spec = project.path / "stacks/specs/trial.yaml"
    spec.write_text(f"{spec.read_text()}\nversions: {{charts: {CHART_SET!r}}}\n")
    plan = json.loads(_done(project, "preview", "--json", "--show-sames"))
    changed = {step["urn"].rpartition("::")[2]: step["op"] for step in plan["steps"] if step["op"] != "same"}
    assert changed == dict.fromkeys(BEFORE, "update")

    _up(project)
    assert _objects(project) == there


def _up(project: Project) -> None:
    done = project.judged("up", "--yes", "--skip-preview", stack=STACK)
    assert done.code == 0, done.text


def _done(project: Project, *command: str) -> str:
    done = project.pulumi(*command, stack=STACK)
    assert done.code == 0, done.text
    return done.out


def _objects(project: Project) -> dict[str, str]:
    """Kind and name -> uid; a job is among them."""
    listed = project.kubectl("get", KEPT, "--all-namespaces", "--output=json", stack=STACK)
    assert listed.code == 0, listed.text
    found = {f"{it['kind']} {it['metadata']['name']}": it["metadata"]["uid"] for it in json.loads(listed.out)["items"]}
    assert "TrainJob pytorch" in found
    return found


def _set_back(project: Project) -> None:
    """The releases as the former release of gpucluster made them."""
    state: dict[str, Any] = json.loads(_done(project, "stack", "export"))
    for resource in state["deployment"]["resources"]:
        version = BEFORE.get(resource["urn"].rpartition("::")[2])
        for values in (resource["inputs"], resource["outputs"]) if version else ():
            values["version"] = version
    (project.path / "state.json").write_text(json.dumps(state))
    _done(project, "stack", "import", "--file", "state.json")
