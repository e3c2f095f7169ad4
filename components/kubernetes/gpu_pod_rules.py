"""What the API server refuses of pods with GPUs in every namespace: what gets them past a queue, or would wait in one
for ever. Imports no Pulumi.

Kueue holds a pod back by a gate that its webhook puts into it. So a pod with GPUs has that gate when it is created, or
is one of a Job; and a Job has a queue, or is one of a JobSet, and so on up to what a user has made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from gpucluster.components.kubernetes.cel import text, texts
from gpucluster.components.kubernetes.gpu_pod_variables import KUEUE, QUEUE, gpu_pod_variables
from gpucluster.components.kubernetes.job_pool import JobPool
from gpucluster.components.kubernetes.platform_pods import ALLOWED_LABEL
from gpucluster.components.kubernetes.pod_rules import folder_refusal
from gpucluster.components.kubernetes.queue_limits import AMOUNT, is_device, limit_variables, limits_told
from gpucluster.components.names import GPU

GPU_POD_RULES: Final = "gpu-pods"

VISIBLE_DEVICES: Final = "NVIDIA_VISIBLE_DEVICES"
"""NVIDIA's runtime gives a container the GPUs that this names, whoever has them, unless a node's settings forbid it
(accept-nvidia-visible-devices-envvar-when-unprivileged); what a pod sets comes after what the device plugin does.

Sources: NVIDIA/nvidia-container-toolkit, its configuration; kubernetes v1.34.1, pkg/kubelet/kubelet_pods.go.
"""

# Source: kubernetes-sigs/kueue v0.19.2, pkg/controller/jobs/pod/constants; apis/kueue/v1beta2 (TopologySchedulingGate).
_GATES: Final = "kueue.x-k8s.io/"

_RESOURCES: Final = (
    ("", "v1", ("pods", "pods/ephemeralcontainers")),
    ("batch", "v1", ("jobs", "cronjobs")),
    ("apps", "v1", ("deployments", "statefulsets", "daemonsets")),
    ("jobset.x-k8s.io", "v1alpha2", ("jobsets",)),
    ("ray.io", "v1", ("rayclusters", "rayjobs", "rayservices")),
)


def gpu_pod_spec(pools: Sequence[JobPool], folders: Sequence[str], namespaces: Sequence[str]) -> dict[str, Any]:
    """The rules. folders: of the machine, that runtimes mount. namespaces: those of jobs, where Kueue is."""
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "resourceRules": [
                {
                    "apiGroups": [group],
                    "apiVersions": [version],
                    "operations": ["CREATE", "UPDATE"],
                    "resources": list(resources),
                }
                for group, version, resources in _RESOURCES
            ],
            "namespaceSelector": {
                "matchExpressions": [{"key": ALLOWED_LABEL, "operator": "NotIn", "values": ["allowed"]}]
            },
        },
        "matchConditions": [
            {"name": "not-by-kueue", "expression": f"request.userInfo.username != {text(KUEUE)}"},
            # Who deletes an object changes its metadata, and may not be held up.
            {"name": "spec-is-new", "expression": "oldObject == null || object.spec != oldObject.spec"},
        ],
        "variables": [*gpu_pod_variables(namespaces), *limit_variables(pools)],
        "validations": [
            *_queued(pools, namespaces),
            *_fitting(limits_told(pools)),
            _validation(
                f"variables.inside.all(p, p.all(c, c.?env.orValue([]).all(e, e.name != {text(VISIBLE_DEVICES)})))",
                f"a container sets {VISIBLE_DEVICES}, which takes GPUs of others or leaves its own; remove it: a pod "
                "gets the GPUs it asks for",
            ),
            _validation(
                # A kubelet reports the pods that it runs by itself.
                "variables.parts.all(p, !has(p.pod.spec.nodeName)) || (object.kind == 'Pod' && "
                "(oldObject != null || request.userInfo.username.startsWith('system:node:')))",
                "spec.nodeName puts a pod on a machine past its queue and the scheduler; remove it; to look at a "
                "node: kubectl debug node/NAME --namespace kube-system",
            ),
            _validation(
                "!variables.uses || variables.parts.all(p, p.pod.spec.?volumes.orValue([]).all(v, !has(v.hostPath) "
                f"|| v.hostPath.path in {texts(folders)}))",
                folder_refusal(folders),
            ),
        ],
    }


def _queued(pools: Sequence[JobPool], namespaces: Sequence[str]) -> list[dict[str, str]]:
    queues = [pool.name for pool in pools]
    free = "!variables.uses || variables.held"
    return [
        _validation(
            f"{free} || request.namespace in {texts(namespaces)}",
            f"GPUs are given by queues, for the namespaces {', '.join(namespaces)} alone; move it there, with the "
            f"label {QUEUE}; for software of the whole cluster an administrator gives its namespace the label "
            f"{ALLOWED_LABEL}=allowed",
        ),
        _validation(
            f"{free} || variables.queue in {texts(queues)}",
            f"metadata.labels has no {QUEUE} of a pool, without which it would take GPUs from jobs that wait, or room "
            f"beside them; allowed: {', '.join(queues)}; or remove its GPUs and what tolerates {GPU}",
        ),
        _validation(
            f"{free} || object.kind != 'Pod' || variables.gated",
            "Kueue does not hold this pod back, for it counts as one of what owns it; create it without an owner",
        ),
        _validation(
            "object.kind != 'Pod' || oldObject == null || !variables.asks || "
            f"oldObject.spec.?schedulingGates.orValue([]).all(g, !g.name.startsWith({text(_GATES)}) || "
            "object.spec.?schedulingGates.orValue([]).exists(o, o.name == g.name))",
            "Kueue alone lets a pod with GPUs start; leave spec.schedulingGates as they are",
        ),
    ]


def _fitting(told: str) -> list[dict[str, str]]:
    asked = AMOUNT.format("c[k]")
    return [
        _validation(
            "!(variables.queue in variables.machine) || variables.asked.all(p, p.all(c, c.all(k, "
            f"!{is_device('k')} || (k in variables.machine[variables.queue] && {asked} <= "
            "variables.machine[variables.queue][k]))))",
            f"a container asks for more than a machine of its queue has, and would wait for ever; there are: {told}",
        ),
        _validation(
            "!(variables.queue in variables.most) || variables.most[variables.queue].all(k, variables.parts.map(p, "
            "int(p.times) * p.pod.spec.containers.map(c, has(c.resources) && has(c.resources.limits) ? "
            f"c.resources.limits : {{}}).map(c, k in c ? {asked} : 0).sum()).sum() <= "
            "variables.most[variables.queue][k])",
            f"its pods together ask for more than their queue has, and would wait for ever; there are: {told}",
        ),
    ]


def _validation(expression: str, message: str) -> dict[str, str]:
    return {"expression": f"variables.platform || ({expression})", "message": message}
