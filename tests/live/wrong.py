"""Manifests that would take GPUs past the queues, or never run; and what the API server says of each."""

from __future__ import annotations

from typing import Any, Final

from tests.live.harness import trainjob

__all__ = ["SOME_WRONG", "WRONG"]

_GPU: Final = "nvidia.com/gpu"
_NO_QUEUE: Final = "metadata.labels has no kueue.x-k8s.io/queue-name"
_TOO_MUCH: Final = "asks for more than a machine of its queue has, and would wait for ever"
_ELSEWHERE: Final = "GPUs are given by queues, for the namespaces training alone"
_APPS: Final = dict.fromkeys(("Deployment", "ReplicaSet", "StatefulSet"), "apps/v1")
_VERSIONS: Final = {**_APPS, "Job": "batch/v1", "Pod": "v1"}


def _pods(gpus: int, **spec: Any) -> dict[str, Any]:
    """Of pods with a container that asks for so many GPUs; for 0 they have nothing to do with GPUs."""
    container: dict[str, Any] = {"name": "a", "image": "a:1"}
    if gpus:
        container["resources"] = {"limits": {_GPU: gpus}}
        spec["tolerations"] = [{"key": _GPU, "operator": "Exists"}]
    return {"containers": [container], **spec}


def _made(kind: str, pods: dict[str, Any], *, queue: str = "", namespace: str = "training") -> dict[str, Any]:
    """An object that makes such pods, or is one."""
    labels = {"kueue.x-k8s.io/queue-name": queue} if queue else {}
    metadata = {"name": "wrong", "namespace": namespace, "labels": labels}
    made = {"apiVersion": _VERSIONS[kind], "kind": kind, "metadata": metadata}
    if kind == "Pod":
        return {**made, "spec": pods}
    if kind == "Job":
        return {**made, "spec": {"template": {"spec": {"restartPolicy": "Never", **pods}}}}
    own = {"app": "wrong"}
    return {**made, "spec": {"selector": {"matchLabels": own}, "template": {"metadata": {"labels": own}, "spec": pods}}}


def _changed(path: str, value: Any) -> dict[str, Any]:
    """The example of PyTorch with one field changed."""
    job: dict[str, Any] = trainjob("wrong")
    *above, last = path.split(".")
    place = job
    for key in above:
        place = place[key]
    place[last] = value
    return job


def _patched(pod: dict[str, Any], job: str = "node") -> dict[str, Any]:
    """The same with a patch of its pods, or of those of another replicated job."""
    jobs = [{"name": job, "template": {"spec": {"template": pod}}}]
    patch = {"manager": "example.com/me", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}
    return _changed("spec.runtimePatches", [patch])


_ALL: Final = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]

WRONG: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "a TrainJob without a queue": (_changed("metadata.labels", {}), _NO_QUEUE),
    "a TrainJob of a runtime that does not exist": (_changed("spec.runtimeRef.name", "jax-distributed"), "not found"),
    "a TrainJob with resources of its own": (
        _changed("spec.trainer.resourcesPerNode", {"limits": {_GPU: 3}}),
        "spec.trainer.resourcesPerNode changes what a pod",
    ),
    "a TrainJob that switches the fabric off": (
        _changed("spec.trainer.env", [{"name": "NCCL_NET", "value": "Socket"}]),
        "spec.trainer.env sets what decides about the fabric",
    ),
    "a TrainJob with an empty variable": (
        _changed("spec.trainer.env", [{"name": "WANDB_MODE", "value": ""}]),
        "spec.trainer.env has no value for WANDB_MODE",
    ),
    "a TrainJob with a sidecar": (
        _patched({"spec": {"containers": [{"name": "sidecar"}]}}),
        "a container that the runtime has not",
    ),
    "a TrainJob with a toleration": (
        _patched({"spec": {"tolerations": [{"operator": "Exists"}]}}),
        "spec.runtimePatches has tolerations",
    ),
    "a TrainJob with a patch of a job that its runtime has not": (
        _patched({"spec": {"serviceAccountName": "a"}}, "workers"),
        "spec.runtimePatches has a replicated job that the runtime does not have",
    ),
    "a ReplicaSet whose pods have no queue": (
        _made("ReplicaSet", _pods(1), queue="dev"),
        "Kueue gives the pods of a ReplicaSet or ReplicationController no queue",
    ),
    "a Job without a queue": (_made("Job", _pods(8)), _NO_QUEUE),
    "a Job in another namespace": (_made("Job", _pods(1), queue="dev", namespace="default"), _ELSEWHERE),
    "a Job with three GPUs on machines of one": (_made("Job", _pods(3), queue="dev"), _TOO_MUCH),
    "a Job of a system priority": (
        _made("Job", _pods(1, priorityClassName="system-node-critical"), queue="dev"),
        "spec.priorityClassName names one of the cluster's own",
    ),
    "a Job with a folder of its machine": (
        _made("Job", _pods(1, volumes=[{"name": "a", "hostPath": {"path": "/etc"}}]), queue="dev"),
        "a volume is a folder of the machine",
    ),
    "a Deployment without a queue": (_made("Deployment", _pods(1)), _NO_QUEUE),
    "a notebook without a queue": (
        _made("StatefulSet", _pods(1, nodeSelector={"gpucluster/pool": "training"})),
        _NO_QUEUE,
    ),
    "a pod with eight GPUs in another namespace": (_made("Pod", _pods(8), namespace="default"), _ELSEWHERE),
    "a pod put on a machine by its name": (
        _made("Pod", _pods(0, nodeName="a")),
        "spec.nodeName puts a pod on a machine",
    ),
    "a pod that takes all GPUs of its machine": (
        _made("Pod", _pods(0, containers=[{"name": "a", "image": "a:1", "env": _ALL}]), namespace="default"),
        "a container sets NVIDIA_VISIBLE_DEVICES",
    ),
}

SOME_WRONG: Final = (
    "a TrainJob with resources of its own",
    "a Deployment without a queue",
    "a pod with eight GPUs in another namespace",
)
"""One for each set of admission rules: of training jobs, of what makes pods, of pods. They are the same on every cloud,
and one cloud has all.
"""
