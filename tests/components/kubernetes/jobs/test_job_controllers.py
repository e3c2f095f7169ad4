"""What Kueue is told, against what its chart would tell it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from unittest import mock

import pulumi
import pytest

from gpucluster.components.kubernetes.jobs.job_controllers import Queueing, keeps_trainer_crds
from gpucluster.components.kubernetes.objects.charts import CHART_SET

# managerConfig.controllerManagerConfigYaml of charts/kueue/values.yaml, without its comments: kubernetes-sigs/kueue
# v0.19.2 (8eab68778f).
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
            "Workload.kueue.x-k8s.io": 10,
            "LocalQueue.kueue.x-k8s.io": 5,
            "ClusterQueue.kueue.x-k8s.io": 5,
            "ResourceFlavor.kueue.x-k8s.io": 1,
        }
    },
    "clientConnection": {"qps": 300, "burst": 500},
    "integrations": {
        "frameworks": [
            "batch/job",
            "kubeflow.org/mpijob",
            "ray.io/rayjob",
            "ray.io/rayservice",
            "ray.io/raycluster",
            "jobset.x-k8s.io/jobset",
            "workload.codeflare.dev/appwrapper",
            "trainer.kubeflow.org/trainjob",
            "pod",
            "deployment",
            "statefulset",
            "leaderworkerset.x-k8s.io/leaderworkerset",
        ]
    },
}
OURS: dict[str, Any] = {
    # The dashboard of the queue reads them.
    "metrics": {"bindAddress": ":8443", "enableClusterQueueResources": True},
    "waitForPodsReady": {"timeout": "30m", "requeuingStrategy": {"timestamp": "Eviction", "backoffLimitCount": 3}},
    "featureGates": {"FailureRecoveryPolicy": True},
    "objectRetentionPolicies": {"workloads": {"afterFinished": "168h", "afterDeactivatedByKueue": "168h"}},
    "managedJobsNamespaceSelector": {
        "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["training"]}]
    },
    # All of its chart's but those of software that is not here: MPIJobs, AppWrappers, and LeaderWorkerSets by default.
    "integrations": {
        "frameworks": [
            "batch/job",
            "deployment",
            "jobset.x-k8s.io/jobset",
            "pod",
            "ray.io/raycluster",
            "ray.io/rayjob",
            "ray.io/rayservice",
            "statefulset",
            "trainer.kubeflow.org/trainjob",
        ]
    },
}


def test_kueue_is_told_what_its_chart_tells_it_but_for_whom_it_takes_care_of(
    registered: Callable[[Callable[[], object]], list[tuple[str, str, Any]]],
) -> None:
    found = registered(lambda: Queueing("jobs", tolerations=[], registry=None, after=[]))
    [values] = [inputs["values"] for _, name, inputs in found if name == "jobs-kueue"]
    told = json.loads(values["managerConfig"]["controllerManagerConfigYaml"])
    assert told == CHARTS_OWN | OURS


def test_leader_worker_sets_come_with_their_controller_before_kueue_which_then_takes_care_of_them(
    registered: Callable[[Callable[[], object]], list[tuple[str, str, Any]]],
) -> None:
    tolerations = [{"key": "CriticalAddonsOnly", "operator": "Exists"}]

    def declare(*, leader_worker_sets: bool) -> Queueing:
        mirror = "mirror.example"
        return Queueing(
            "jobs", tolerations=tolerations, registry=mirror, after=[], leader_worker_sets=leader_worker_sets
        )

    found = registered(lambda: declare(leader_worker_sets=True))
    without = {name for _, name, _ in registered(lambda: declare(leader_worker_sets=False))}
    by_name = {name: inputs for _, name, inputs in found}
    assert {*by_name} - without == {"jobs-lws", "jobs-lws-namespace", "jobs-lws-ports"}
    release = by_name["jobs-lws"]
    assert (release["chart"], release["version"], release["values"]) == (
        "oci://registry.k8s.io/lws/charts/lws",
        "0.9.0",
        {
            "image": {"manager": {"repository": "mirror.example/lws/lws", "tag": "v0.9.0"}},
            "podSecurityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
            "tolerations": tolerations,
        },
    )
    assert by_name["jobs-lws-namespace"]["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    config = json.loads(by_name["jobs-kueue"]["values"]["managerConfig"]["controllerManagerConfigYaml"])
    assert {*config["integrations"]["frameworks"]} - {*OURS["integrations"]["frameworks"]} == {
        "leaderworkerset.x-k8s.io/leaderworkerset"
    }
    # Kueue looks for the kinds that it admits when it starts.
    assert [*by_name].index("jobs-lws") < [*by_name].index("jobs-kueue")


def test_nothing_of_the_system_pushes_kueue_aside_and_gke_lets_it_have_that_priority(
    registered: Callable[[Callable[[], object]], list[tuple[str, str, Any]]],
) -> None:
    found = registered(lambda: Queueing("jobs", tolerations=[], registry=None, after=[]))
    by_name = {name: inputs for _, name, inputs in found}
    manager = by_name["jobs-kueue"]["values"]["controllerManager"]["manager"]
    assert manager["priorityClassName"] == "system-cluster-critical"
    quota = by_name["jobs-kueue-critical"]
    assert quota["metadata"]["namespace"] == "kueue-system"
    assert quota["spec"]["scopeSelector"]["matchExpressions"] == [
        {"scopeName": "PriorityClass", "operator": "In", "values": ["system-cluster-critical"]}
    ]


def told(old: dict[str, Any] | None, new: dict[str, Any] | None, chart_set: str | None = None) -> str | None:
    """What the hook of an update says, None if it lets it pass."""
    with mock.patch.object(pulumi, "ResourceHook") as hook, mock.patch.object(pulumi, "ResourceHookBinding"):
        keeps_trainer_crds("jobs-trainer", chart_set)
    check = hook.call_args.args[1]
    assert hook.call_args.args[2].on_dry_run
    args = pulumi.ResourceHookArgs("urn", "id", "jobs-trainer", "type", new_inputs=new, old_inputs=old)
    try:
        check(args)
    except RuntimeError as error:
        return str(error)
    return None


@pytest.mark.parametrize("old", ["2.3.0", "2.4.1", "3.0.0", "latest"])
def test_an_update_that_deletes_the_crds_of_all_jobs_is_refused_with_the_way_out(old):
    said = told({"version": old}, {"version": "2.2.1"})
    assert said is not None
    for fact in (
        f"Trainer {old} -> 2.2.1",
        "all TrainJobs and runtimes",
        "docs/operate/upgrading-jobs.md",
        f"versions.charts: '{CHART_SET}'",
    ):
        assert fact in said


def test_it_passes_once_the_spec_names_the_set_of_charts_and_not_with_another():
    assert told({"version": "2.3.0"}, {"version": "2.2.1"}, CHART_SET) is None
    assert told({"version": "2.3.0"}, {"version": "2.2.1"}, "2026-11") is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"version": "2.1.0"}, {"version": "2.2.1"}),
        ({"version": "2.2.0"}, {"version": "2.2.1"}),
        ({"version": "2.2.1"}, {"version": "2.3.0"}),
        ({"version": "2.3.0"}, {"version": "2.3.1"}),
        ({"version": "2.2.1"}, {"version": "2.2.1"}),
    ],
)
def test_any_other_update_passes(old, new):
    assert told(old, new) is None
