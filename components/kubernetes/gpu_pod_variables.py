"""What the rules for pods with GPUs ask of an object: which pods it makes, what they use, who has judged it before.

Imports no Pulumi.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from gpucluster.components.kubernetes.cel import text, texts
from gpucluster.components.kubernetes.platform_pods import is_platform
from gpucluster.components.kubernetes.queue_limits import is_device
from gpucluster.components.names import ACCEPTANCE, GPU

KUEUE: Final = "system:serviceaccount:kueue-system:kueue-controller-manager"
QUEUE: Final = "kueue.x-k8s.io/queue-name"
_ADMISSION_GATE: Final = "kueue.x-k8s.io/admission"
"""Source: kubernetes-sigs/kueue v0.19.2, pkg/controller/jobs/pod/constants."""

# Kind -> who makes such objects of others, which have been judged. Kubernetes' controllers act by accounts of their
# own, or all by one. KubeRay is not installed by this project: whoever does it chooses this namespace.
# Sources: kubernetes v1.36.3, cmd/kube-controller-manager (use-service-account-credentials); charts/jobset of
# kubernetes-sigs/jobset v0.12.0; charts/kubeflow-trainer of kubeflow/trainer v2.3.0.
_SYSTEM: Final = "system:serviceaccount:kube-system"
_MANAGER: Final = "system:kube-controller-manager"
_KUBERAY: Final = "system:serviceaccount:kuberay-system:kuberay-operator"
_MAKERS: Final[Mapping[str, Sequence[str]]] = {
    "Pod": (f"{_SYSTEM}:job-controller", _MANAGER, _KUBERAY),
    "Job": ("system:serviceaccount:jobset-system:jobset-controller", _KUBERAY),
    "JobSet": ("system:serviceaccount:kubeflow-system:kubeflow-trainer-controller-manager",),
    "RayCluster": (_KUBERAY,),
}
# Kueue gives the pods of a StatefulSet their queue once they are there, and a gate before.
# Source: kubernetes-sigs/kueue v0.19.2, pkg/controller/jobs/pod/pod_webhook.go and statefulset/.
_GATED_MAKER: Final = f"{_SYSTEM}:statefulset-controller"
_AGENTS: Final = (f"{_SYSTEM}:daemon-set-controller", _MANAGER)

_TOLERATED: Final = f"spec.?tolerations.orValue([]).exists(o, o.?key.orValue('') in ['', {text(GPU)}])"
# The values of a map are of one type, or of none that is known.
_ONCE: Final = "[{{'pod': dyn({pod}), 'times': dyn({times})}}]"
_RAY: Final = (
    "([{of}.headGroupSpec.template] + {of}.?workerGroupSpecs.orValue([]).map(g, g.template))"
    ".map(t, {{'pod': dyn(t), 'times': dyn(1)}})"
)
# Kind -> the pods that its spec describes, and how many of each Kueue admits at once; of a Deployment one by one.
_PARTS: Final[Mapping[str, str]] = {
    "Pod": _ONCE.format(pod="object", times="1"),
    "CronJob": _ONCE.format(
        pod="object.spec.jobTemplate.spec.template", times="object.spec.jobTemplate.spec.?parallelism.orValue(1)"
    ),
    "JobSet": "object.spec.replicatedJobs.map(r, {'pod': dyn(r.template.spec.template), "
    "'times': dyn(int(r.?replicas.orValue(1)) * int(r.template.spec.?parallelism.orValue(1)))})",
    "Job": _ONCE.format(pod="object.spec.template", times="object.spec.?parallelism.orValue(1)"),
    "StatefulSet": _ONCE.format(pod="object.spec.template", times="object.spec.?replicas.orValue(1)"),
    "RayCluster": _RAY.format(of="object.spec"),
    "RayJob": _RAY.format(of="object.spec.rayClusterSpec"),
    "RayService": _RAY.format(of="object.spec.rayClusterConfig"),
}
_OTHERS: Final = _ONCE.format(pod="object.spec.template", times="1")


def gpu_pod_variables(namespaces: Sequence[str]) -> list[dict[str, str]]:
    """parts: the pods of an object, and how many of each there are. inside: the containers of each. asked: what each of
    these asks for. platform: whether the cluster itself runs them. queue: the name that a label says. asks: whether
    they ask for devices. uses: whether they do, or may be on GPU nodes. gated: whether Kueue holds the pod back. held:
    whether what made them has been judged.

    namespaces: those of jobs.
    """
    kinds = " : ".join(f"object.kind == {text(kind)} ? {parts}" for kind, parts in _PARTS.items())
    makers = "{" + ", ".join(f"{text(kind)}: {texts(users)}" for kind, users in _MAKERS.items()) + "}"
    account = "variables.parts[0].pod.spec.?serviceAccountName.orValue('default')"
    label = f"?metadata.?labels[?{text(QUEUE)}].orValue('')"
    variables = {
        "parts": f"{kinds} : {_OTHERS}",
        "inside": "variables.parts.map(p, p.pod.spec.containers + p.pod.spec.?initContainers.orValue([]) + "
        "p.pod.spec.?ephemeralContainers.orValue([]))",
        # Kubernetes takes no limit of a device without an equal request, and the other way round.
        "asked": "variables.inside.map(p, p.map(c, has(c.resources) && has(c.resources.limits) ? c.resources.limits : "
        "{}))",
        "account": f"size(variables.parts) == 1 ? {account} : ''",
        "platform": is_platform("variables.account"),
        "queue": f"object.kind == 'CronJob' ? object.spec.jobTemplate.{label} : object.{label}",
        "asks": f"variables.asked.exists(p, p.exists(c, c.exists(k, {is_device('k')})))",
        # Agents of the clouds run on every node, from namespaces that no list names.
        "agent": f"object.kind == 'DaemonSet' || request.userInfo.username in {texts(_AGENTS)}",
        "uses": f"variables.asks || (!variables.agent && variables.parts.exists(p, p.pod.{_TOLERATED}))",
        "gated": "object.kind == 'Pod' && object.spec.?schedulingGates.orValue([])"
        f".exists(g, g.name == {text(_ADMISSION_GATE)})",
        "made": f"{makers}[?object.kind].orValue([]).exists(u, u == request.userInfo.username) || "
        f"(variables.gated && request.userInfo.username == {text(_GATED_MAKER)})",
        # Acceptance measures spares and cordoned nodes, which no queue gives away.
        "acceptance": f"object.kind == 'Job' && object.metadata.?labels[?{text(ACCEPTANCE)}].hasValue() && "
        f"request.namespace in {texts(namespaces)} && "
        "authorizer.group('').resource('nodes').check('delete').allowed()",
        # The devices of a pod never change; what is changed of one that is there is not where it runs.
        "changed": f"object.kind == 'Pod' && oldObject != null && (variables.asks || oldObject.{_TOLERATED})",
        "held": "variables.made || variables.acceptance || variables.changed",
    }
    return [{"name": name, "expression": expression} for name, expression in variables.items()]
