"""What Kueue is told, against what its chart would tell it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from gpucluster.components.kubernetes.queueing import Queueing

# managerConfig.controllerManagerConfigYaml of charts/kueue/values.yaml, without its comments: kubernetes-sigs/kueue
# v0.16.9 (762bba717f); the text of v0.16.6 is the same.
CHARTS_OWN = {
    "apiVersion": "config.kueue.x-k8s.io/v1beta2",
    "kind": "Configuration",
    "health": {"healthProbeBindAddress": ":8081"},
    "metrics": {"bindAddress": ":8443"},
    "webhook": {"port": 9443},
    "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
    "controller": {
        "groupKindConcurrency": {
            "Job.batch": 5,
            "Pod": 5,
            "Workload.kueue.x-k8s.io": 5,
            "LocalQueue.kueue.x-k8s.io": 1,
            "ClusterQueue.kueue.x-k8s.io": 1,
            "ResourceFlavor.kueue.x-k8s.io": 1,
        }
    },
    "clientConnection": {"qps": 50, "burst": 100},
    "integrations": {
        "frameworks": [
            "batch/job",
            "kubeflow.org/mpijob",
            "ray.io/rayjob",
            "ray.io/raycluster",
            "jobset.x-k8s.io/jobset",
            "trainer.kubeflow.org/trainjob",
            "kubeflow.org/paddlejob",
            "kubeflow.org/pytorchjob",
            "kubeflow.org/tfjob",
            "kubeflow.org/xgboostjob",
            "kubeflow.org/jaxjob",
            "workload.codeflare.dev/appwrapper",
            "pod",
            "deployment",
            "statefulset",
            "leaderworkerset.x-k8s.io/leaderworkerset",
        ]
    },
}
OURS = {
    "managedJobsNamespaceSelector": {
        "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["training"]}]
    },
    "integrations": {"frameworks": ["batch/job", "jobset.x-k8s.io/jobset", "trainer.kubeflow.org/trainjob"]},
}


def test_kueue_is_told_what_its_chart_tells_it_but_for_whom_it_takes_care_of(
    registered: Callable[[Callable[[], object]], list[tuple[str, str, Any]]],
) -> None:
    found = registered(lambda: Queueing("jobs", tolerations=[], registry=None, labels={}, after=[]))
    [values] = [inputs["values"] for _, name, inputs in found if name == "jobs-kueue"]
    told = json.loads(values["managerConfig"]["controllerManagerConfigYaml"])
    assert told == CHARTS_OWN | OURS


def test_nothing_of_the_system_pushes_kueue_aside_and_gke_lets_it_have_that_priority(
    registered: Callable[[Callable[[], object]], list[tuple[str, str, Any]]],
) -> None:
    found = registered(lambda: Queueing("jobs", tolerations=[], registry=None, labels={}, after=[]))
    by_name = {name: inputs for _, name, inputs in found}
    manager = by_name["jobs-kueue"]["values"]["controllerManager"]["manager"]
    assert manager["priorityClassName"] == "system-cluster-critical"
    quota = by_name["jobs-kueue-critical"]
    assert quota["metadata"]["namespace"] == "kueue-system"
    assert quota["spec"]["scopeSelector"]["matchExpressions"] == [
        {"scopeName": "PriorityClass", "operator": "In", "values": ["system-cluster-critical"]}
    ]
