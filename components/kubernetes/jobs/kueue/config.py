"""Kueue's configuration: managed namespaces, start timeout of jobs, retention of finished ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.components.planning.names import NAMESPACE
from gpucluster.components.shared.jobs.teams import TeamPlan

RETENTION_HOURS: Final = 7 * 24
"""For this long the objects of an ended job can be inspected."""

KUEUE_CONFIG: Final[Mapping[str, Any]] = {
    # As in the chart, whose configuration this replaces completely.
    # Source: kubernetes-sigs/kueue v0.19.2, charts/kueue/values.yaml.
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
    # A job whose pods do not run within half an hour, including image pull and machine start of an elastic pool, gives
    # its GPUs back and joins the end of the queue of its priority; the fourth time it is stopped for good. The half
    # hour is Kueue's default. Source: the same release, apis/config/v1beta2/defaults.go.
    "waitForPodsReady": {"timeout": "30m", "requeuingStrategy": {"timestamp": "Eviction", "backoffLimitCount": 3}},
    # Annotated pods count as ended if their node is unreachable: annotation FORCED of the runtimes. Alpha.
    "featureGates": {"FailureRecoveryPolicy": True},
    "objectRetentionPolicies": {
        "workloads": {"afterFinished": f"{RETENTION_HOURS}h", "afterDeactivatedByKueue": f"{RETENTION_HOURS}h"}
    },
    # Its webhooks check only objects of these namespaces, where nothing with a GPU may start without it anyway.
    # The chart's webhooks would check every pod, Deployment and StatefulSet of the cluster, none of which could start
    # while Kueue is down. Source: the same, templates/webhook/manifests.yaml.
    "managedJobsNamespaceSelector": {
        "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": [NAMESPACE]}]
    },
    # Of these kinds it manages only objects with a queue in their labels. Ray's kinds belong to KubeRay, for which
    # Kueue waits until it is installed.
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
"""Kueue's configuration, of the kinds in apis/config/v1beta2 of the same release."""


def kueue_config(teams: Sequence[TeamPlan]) -> Mapping[str, Any]:
    """The same with teams: Kueue also manages their namespaces, and lends idle quota."""
    if not teams:
        return KUEUE_CONFIG
    namespaces = [NAMESPACE, *(team.namespace for team in teams)]
    return {
        **KUEUE_CONFIG,
        "managedJobsNamespaceSelector": {
            "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": namespaces}]
        },
        # The second applies if the first makes no room. Source: the same, site/content/en/docs/concepts/preemption.md.
        "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
    }
