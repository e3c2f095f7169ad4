"""The trial stack as a cluster that lives: a job runs on it, and nothing is left of it afterwards."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpucluster.sandbox.api_server.binaries import VERSION
from tests.processes import running_for
from tests.waiting import wait_for

from .conftest import ROOT, Project

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(900)]

STACK = "aws-trial"
JOBS = ROOT / "examples" / "jobs"


def _pods(project: Project) -> list[dict[str, Any]]:
    done = project.kubectl("get", "pods", "--namespace=training", "--output=json", stack=STACK)
    assert done.code == 0, done.text
    return json.loads(done.out)["items"]


def _running(project: Project, number: int) -> list[str]:
    """The nodes of the pods, once so many run."""

    def running() -> list[str]:
        pods = _pods(project)
        fit = [pod["status"]["phase"] for pod in pods] == ["Running"] * number
        return [pod["spec"]["nodeName"] for pod in pods] if fit else []

    def scene() -> str:
        return json.dumps([pod["status"] for pod in _pods(project)], indent=2)

    return wait_for(f"{number} pods run", running, scene=scene)


def _processes(project: Project) -> list[str]:
    return [" ".join(process.cmdline())[:100] for process in running_for(project.path / ".sandbox")]


def test_a_job_runs_on_the_nodes_of_the_stack_and_nothing_is_left_after_destroy(project: Project) -> None:
    up = project.run("sandbox", "--kubernetes", "live", "pulumi", "up", "--yes", "--skip-preview", "--stack", STACK)
    assert up.code == 0, up.text
    programs = "jobset, karpenter, kube-controller-manager, kube-scheduler, kueue, kwok, node-health, trainer"
    assert f"Live cluster, Kubernetes {VERSION}: {programs}\n" in up.err
    assert "  not running here: " in up.err
    submitted = project.kubectl("create", f"--filename={JOBS / 'pytorch.yaml'}", stack=STACK)
    assert submitted.code == 0, submitted.text
    nodes = _running(project, 2)
    assert len({*nodes}) == 2

    assert project.run("sandbox", "stop", "--stack", STACK).code == 0
    assert _processes(project) == []
    assert sorted(_running(project, 2)) == sorted(nodes), "a cluster that is started again has what it had"
    assert "trainer" in project.run("sandbox", "logs", "trainer").out
    assert project.run("sandbox", "logs", "nobody").code == 2
    assert "Running; stop it" in project.run("sandbox", "status").out

    down = project.pulumi("destroy", "--yes", "--skip-preview", "--exclude-protected", stack=STACK)
    assert down.code == 0, down.text
    assert _processes(project) == []
    assert [*(project.path / ".sandbox" / "kubernetes").iterdir()] == []
