"""Restarts of jobs, and their graceful shutdown. Imports no Pulumi.

What Kubernetes or Kueue takes a pod away for (a broken node, maintenance, preemption, a place that is gone) is no
failure of its job: the Job ends for a reason of its own, for which the JobSet starts again without counting.
Sources: kubernetes-sigs/jobset v0.12.0, api/jobset/v1alpha2/jobset_types.go (FailurePolicyRule); kubernetes v1.36.3,
pkg/controller/job/pod_failure_policy.go; kueue v0.19.2, pkg/controller/tas/node_controller.go (TerminatedByKueue).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

_TAKEN_AWAY: Final = ("DisruptionTarget", "TerminatedByKueue")

FAILURE_POLICY: Final[Mapping[str, Any]] = {
    "maxRestarts": 3,
    "rules": [
        {
            "name": "takenAway",
            "action": "RestartJobSetAndIgnoreMaxRestarts",
            "onJobFailureReasons": ["PodFailurePolicy"],
        }
    ],
}
"""Of a JobSet: a gang that has lost a node starts again as a whole, from its last checkpoint."""

POD_FAILURE_POLICY: Final[Mapping[str, Any]] = {
    "rules": [{"action": "FailJob", "onPodConditions": [{"type": kind, "status": "True"} for kind in _TAKEN_AWAY]}]
}
"""Of each of its Jobs."""

GRACE_SECONDS: Final = 120
"""From SIGTERM to SIGKILL, for a last checkpoint: as long as the longest warning that a cloud gives before it takes a
machine back, two minutes on AWS. Google Cloud and Azure give 30 seconds. torchrun hands SIGTERM on and gives its
processes 30 seconds.

Sources: Amazon EC2 user guide, spot-instance-termination-notices; GKE documentation, "Spot VMs"; Azure documentation,
"Scheduled Events"; pytorch/pytorch, torch/distributed/elastic/multiprocessing/api.py (PContext.close).
"""

_SILENT_SECONDS: Final = 60

SILENT_NODE: Final[Sequence[Mapping[str, Any]]] = [
    {
        "key": f"node.kubernetes.io/{taint}",
        "operator": "Exists",
        "effect": "NoExecute",
        "tolerationSeconds": _SILENT_SECONDS,
    }
    for taint in ("not-ready", "unreachable")
]
"""Of pods: for how long they stay on a node whose kubelet is silent. Kubernetes gives five minutes to pods that say
nothing; a gang that has lost a node does nothing but hold the others.

Source: kubernetes v1.36.3, plugin/pkg/admission/defaulttolerationseconds.
"""

FORCED: Final[Mapping[str, str]] = {"kueue.x-k8s.io/safe-to-forcefully-delete": "true"}
"""Annotation of pods: what was taken away from a node that nobody can reach counts as ended a minute after its grace
period, where Kubernetes waits for word from the node until that is gone itself.

Source: kubernetes-sigs/kueue v0.19.2, keps/6757-failure-recovery, of its gate FailureRecoveryPolicy.
"""
