"""Trainer's, JobSet's and Kubernetes' own rules for a runtime, before a cluster exists to apply them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.components.kubernetes.objects import check
from gpucluster.components.kubernetes.training_runtime import ClusterTrainingRuntime
from gpucluster.components.plan import PlanError

IMAGE = "example.com/train:1.0"


def runtime() -> dict[str, Any]:
    """A small one that is as it should be."""
    pod = {
        "containers": [
            {
                "name": "node",
                "image": IMAGE,
                "env": [{"name": "A", "value": "1"}],
                "resources": {"requests": {"cpu": "1", "x.com/nic": "4"}, "limits": {"x.com/nic": "4"}},
                "volumeMounts": [{"name": "data", "mountPath": "/data"}],
            }
        ],
        "volumes": [{"name": "data", "emptyDir": {}}],
    }
    job = {
        "name": "node",
        "replicas": 1,
        "template": {
            "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
            "spec": {"backoffLimit": 0, "template": {"spec": pod}},
        },
    }
    return {
        "mlPolicy": {"numNodes": 1, "torch": {"numProcPerNode": "auto"}},
        "template": {"spec": {"replicatedJobs": [job]}},
    }


def problems(spec: dict[str, Any]) -> list[str]:
    try:
        check(ClusterTrainingRuntime, spec, "it", at="spec")
    except PlanError as error:
        return [problem.removeprefix("it: ") for problem in map(str, error.problems)]
    return []


def test_a_runtime_as_it_should_be_is_taken() -> None:
    assert problems(runtime()) == []


JOB = "spec.template.spec.replicatedJobs[0]"
POD = f"{JOB}.template.spec.template.spec"


def _job(spec: dict[str, Any]) -> dict[str, Any]:
    return spec["template"]["spec"]["replicatedJobs"][0]


def _pod(spec: dict[str, Any]) -> dict[str, Any]:
    return _job(spec)["template"]["spec"]["template"]["spec"]


def _node(spec: dict[str, Any]) -> dict[str, Any]:
    return _pod(spec)["containers"][0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda spec: spec["mlPolicy"].pop("torch"),
            "spec.mlPolicy has torch and mpi both or neither; allowed: one of them; keep one",
        ),
        (
            lambda spec: _job(spec).update(replicas=2),
            f"{JOB}.replicas is 2; allowed: 1; write one of these",
        ),
        (
            lambda spec: _job(spec)["template"].pop("metadata"),
            "spec has 0 replicated jobs labelled trainer.kubeflow.org/trainjob-ancestor-step: trainer; allowed: one, "
            "which takes the command of the TrainJob; label one",
        ),
        (
            lambda spec: _node(spec).update(name="main"),
            "spec has the replicated job node without a container node; allowed: one of that name, which Trainer "
            "writes to; add it",
        ),
        (
            lambda spec: spec["template"]["spec"].update(
                successPolicy={"operator": "All", "targetReplicatedJobs": ["launcher"]}
            ),
            "spec has a successPolicy of launcher; allowed: node; write one of these",
        ),
        (
            lambda spec: _job(spec).update(dependsOn=[{"name": "other", "status": "Ready"}]),
            "spec has the replicated job node after other; allowed: jobs that stand before it; move it",
        ),
        (
            lambda spec: _node(spec)["resources"]["limits"].update({"x.com/nic": "2"}),
            f"{POD}.containers[0].resources has x.com/nic 4 in requests and 2 in limits; allowed: the same in both; "
            "make them the same",
        ),
        (
            lambda spec: _node(spec)["resources"]["requests"].update({"hugepages-2Mi": "1Gi"}),
            f"{POD}.containers[0].resources has hugepages-2Mi 1Gi in requests and missing in limits; allowed: the same "
            "in both; make them the same",
        ),
        (
            lambda spec: _node(spec).update(image="example.com/train:latest"),
            f"{POD}.containers[0].image is 'example.com/train:latest'; allowed: an image with a digest or a tag other "
            "than latest; pin it",
        ),
        (
            lambda spec: _node(spec).update(image="localhost:5000/train"),
            f"{POD}.containers[0].image is 'localhost:5000/train'; allowed: an image with a digest or a tag other than "
            "latest; pin it",
        ),
        (
            lambda spec: _node(spec)["env"].append({"name": "A", "value": "2"}),
            f"{POD} has the variable in node A twice; allowed: each once; remove one",
        ),
        (
            lambda spec: _node(spec)["volumeMounts"].append({"name": "scratch", "mountPath": "/scratch"}),
            f"{POD} has a mount of the volume scratch in node; allowed: volumes of the pod, data, mpi-ssh-auth; add "
            "the volume",
        ),
        (
            lambda spec: _node(spec)["volumeMounts"].append({"name": "data", "mountPath": "/data"}),
            f"{POD} has the path in node /data twice; allowed: each once; remove one",
        ),
        (
            lambda spec: _node(spec).update(restartPolicy="Always"),
            f"{POD} has restartPolicy Always on the container node; allowed: on init containers; remove it",
        ),
        (
            lambda spec: _pod(spec)["volumes"][0].update(hostPath={"path": "/data"}),
            f"{POD}.volumes[0] is a volume data of 2 kinds; allowed: one of emptyDir, hostPath, "
            "persistentVolumeClaim, configMap; keep one",
        ),
        (
            lambda spec: _pod(spec).update(tolerance=[]),
            f"{POD}.tolerance is not a field; allowed: affinity, automountServiceAccountToken, containers, "
            "enableServiceLinks, initContainers, nodeSelector, restartPolicy, tolerations, volumes; write tolerations",
        ),
    ],
)
def test_what_trainer_or_kubernetes_would_refuse_is_refused_before(
    change: Callable[[dict[str, Any]], object], said: str
) -> None:
    spec = copy.deepcopy(runtime())
    change(spec)
    assert problems(spec) == [said]
