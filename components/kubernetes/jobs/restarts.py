"""Restarts of jobs. Imports no Pulumi.

If Kubernetes or Kueue removes a pod (a broken node, maintenance, preemption, a node that no longer exists), that is no
failure of its job: the Job ends with a specific reason, for which the JobSet restarts without counting it.
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
"""Of a JobSet: a gang that has lost a node restarts as a whole, from its last checkpoint."""

POD_FAILURE_POLICY: Final[Mapping[str, Any]] = {
    "rules": [{"action": "FailJob", "onPodConditions": [{"type": kind, "status": "True"} for kind in _TAKEN_AWAY]}]
}
"""Of each of its Jobs."""

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
"""Of pods: how long they stay on a node whose kubelet is silent. Kubernetes' default is five minutes; a gang that has
lost a node only blocks its other nodes.

Source: kubernetes v1.36.3, plugin/pkg/admission/defaulttolerationseconds.
"""

FORCED: Final[Mapping[str, str]] = {"kueue.x-k8s.io/safe-to-forcefully-delete": "true"}
"""Annotation of pods: a pod evicted from an unreachable node counts as ended a minute after its grace period;
Kubernetes itself waits for a report from the node until the node is deleted.

Source: kubernetes-sigs/kueue v0.19.2, keps/6757-failure-recovery, of its gate FailureRecoveryPolicy.
"""
