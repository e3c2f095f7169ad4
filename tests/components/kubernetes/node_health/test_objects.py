"""What the program that watches nodes is installed with: its rights, its files, its settings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpucluster.components.aws.planning import machines as aws
from gpucluster.components.kubernetes.jobs.job_pool import FabricPod, JobPool
from gpucluster.components.kubernetes.node_health import controller
from gpucluster.components.kubernetes.node_health.controller import Settings, fault
from gpucluster.components.kubernetes.node_health.objects import NodeHealth
from gpucluster.components.kubernetes.node_health.plan import health_note, settings_json
from gpucluster.components.resources.label_transformation import labelled_objects
from gpucluster.core.catalog.machines import machines

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]

POOL = JobPool(
    name="training",
    shape=machines()["p5.48xlarge"],
    nodes=4,
    gpus={"nvidia.com/gpu": 32},
    ask={"nvidia.com/gpu": 8},
    fabric=FabricPod(resources={"vpc.amazonaws.com/efa": "32", "hugepages-2Mi": "5120Mi"}),
)


@pytest.fixture
def found(registered: Run) -> dict[str, dict[str, Any]]:
    """Inputs of what is registered, by name."""
    made = registered(
        lambda: NodeHealth(
            "a", "{}", tolerations=[], registry="mirror.example", after=[], opts=labelled_objects({"team": "t"}, None)
        )
    )
    return {name: inputs for _, name, inputs in made}


def test_the_controller_may_change_nodes_and_write_events_and_nothing_else(found: dict[str, dict[str, Any]]) -> None:
    assert found["a-role"]["rules"] == [
        {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list", "patch"]},
        {"apiGroups": [""], "resources": ["events"], "verbs": ["create"]},
    ]
    assert found["a-namespace"]["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"


def test_the_pod_runs_the_program_as_it_is_here_from_the_mirror(found: dict[str, dict[str, Any]]) -> None:
    pod = found["a-program"]["spec"]["template"]["spec"]
    [container] = pod["containers"]

    assert found["a-files"]["data"] == {"controller.py": Path(controller.__file__).read_text(), "settings.json": "{}"}
    assert (container["command"][-2:], container["ports"][0]["containerPort"]) == (["--port", "8080"], 8080)
    assert found["a-network"]["spec"]["ingress"] == [{"ports": [{"protocol": "TCP", "port": 8080}]}]
    assert container["image"].startswith("mirror.example/docker/library/python:3.13-slim@sha256:")
    assert (pod["securityContext"]["runAsNonRoot"], container["securityContext"]["readOnlyRootFilesystem"]) == (
        True,
    ) * 2


def test_the_settings_are_those_that_the_program_reads() -> None:
    settings = Settings(**json.loads(settings_json("drain", [POOL], aws.CONDITIONS, {})))

    assert settings.devices == {
        "": {"nvidia.com/gpu": 0},
        "training": {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32},
    }
    lost = {"type": "AcceleratedHardwareReady", "status": "False", "reason": "NvidiaXID31Error"}
    node = {"metadata": {"labels": {}}, "spec": {}, "status": {"conditions": [lost]}}
    assert fault(node, settings) == ""
    lost["reason"] = "NvidiaXID79Error"
    assert fault(node, settings) == "AcceleratedHardwareReady is False (NvidiaXID79Error)"


def test_the_plan_says_where_jobs_go_and_who_repairs() -> None:
    assert health_note("drain", spares=0, slurm=False, repair="x") == (
        "the jobs of a broken GPU node wait for its repair, because training.spares is 0; x "
        "(docs/operate/self-healing.md)"
    )
    assert "keep their jobs" in health_note("report", spares=1, slurm=False, repair="x")
    assert "are not detected" in health_note("leave", spares=1, slurm=False, repair="x")
