"""Kueue's configuration: managed namespaces, start timeout of jobs, retention of finished ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.components.names import NAMESPACE
from gpucluster.components.teams import TeamPlan

RETENTION_HOURS: Final = 7 * 24
"""For so long what is left of a job that has ended can be looked at."""

KUEUE_CONFIG: Final[Mapping[str, Any]] = {
    # As in the chart, whose text this replaces as a whole.
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
    # A job whose pods do not run within half an hour, image and machine of an elastic pool included, gives its GPUs
    # back and goes to the end of those of its priority; the fourth time it is stopped for good. The half hour is
    # Kueue's own. Source: the same release, apis/config/v1beta2/defaults.go.
    "waitForPodsReady": {"timeout": "30m", "requeuingStrategy": {"timestamp": "Eviction", "backoffLimitCount": 3}},
    # Pods that say so end without word from a node that cannot be reached: annotation FORCED of the runtimes. Alpha.
    "featureGates": {"FailureRecoveryPolicy": True},
    "objectRetentionPolicies": {
        "workloads": {"afterFinished": f"{RETENTION_HOURS}h", "afterDeactivatedByKueue": f"{RETENTION_HOURS}h"}
    },
    # Its webhooks stand before objects of these namespaces alone, where nothing with a GPU may start without it anyway.
    # Those of the chart would stand before every pod, Deployment and StatefulSet of the cluster, none of which could
    # start while Kueue is away. Source: the same, templates/webhook/manifests.yaml.
    "managedJobsNamespaceSelector": {
        "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": [NAMESPACE]}]
    },
    # Of these it takes care of what has a queue in its labels, and of nothing else. Kinds of Ray are those of KubeRay,
    # for which it waits until somebody installs it.
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
"""The text of its configuration, whose kinds are those of apis/config/v1beta2 of the same release."""


def kueue_config(teams: Sequence[TeamPlan]) -> Mapping[str, Any]:
    """The same with teams: it takes care of their namespaces as well, and shares out what is idle."""
    if not teams:
        return KUEUE_CONFIG
    namespaces = [NAMESPACE, *(team.namespace for team in teams)]
    return {
        **KUEUE_CONFIG,
        "managedJobsNamespaceSelector": {
            "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": namespaces}]
        },
        # The second where the first makes no room. Source: the same, site/content/en/docs/concepts/preemption.md.
        "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
    }
