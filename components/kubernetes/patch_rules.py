"""Rules for what a TrainJob changes of the pods of a cluster's runtime: nothing that decides where they run, what they
reach of their machine, or how they reach each other. Imports no Pulumi.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gpucluster.components.kubernetes.cel import starts, texts
from gpucluster.components.kubernetes.job_pool import FabricPod

_CONTAINER: Final = "node"
"""The only one of a runtime whose name is the same everywhere."""
_ANNOTATIONS: Final = ("networking.gke.io/", "devices.gke.io/")
"""Prefixes of annotations by which pods get their interfaces."""

# Of the fields of a security context these give a container more than the pod security standards let it have; who it
# runs as is its own business. Source: Kubernetes documentation, "Pod Security Standards".
_OF_A_CONTAINER: Final = ("privileged", "capabilities", "procMount", "seccompProfile", "appArmorProfile")
_OF_A_POD: Final = ("sysctls", "seccompProfile", "appArmorProfile")

PATCH_VARIABLES: Final = (
    {
        # Whose name a patch bears says nothing, for anybody may write Kueue's. What an update leaves as it was has been
        # judged before, or Kueue wrote it, whom these rules are not asked about. Trainer itself changes their time.
        "name": "patches",
        "expression": "object.spec.?runtimePatches.orValue([]).filter(p, has(p.trainingRuntimeSpec) && "
        "(oldObject == null || !oldObject.spec.?runtimePatches.orValue([]).exists(o, o.manager == p.manager && "
        "o.?trainingRuntimeSpec == p.?trainingRuntimeSpec)))",
    },
    {
        "name": "pods",
        "expression": "variables.patches.map(p, p.trainingRuntimeSpec.?template.?spec.?replicatedJobs.orValue([])"
        ".filter(j, has(j.template) && has(j.template.spec) && has(j.template.spec.template))"
        ".map(j, j.template.spec.template))",
    },
)
"""patches: those that are new or changed. pods: the templates of pods that each of them lays over the runtime's.

Source: kubeflow/trainer v2.3.0, pkg/apis/trainer/v1alpha1/trainjob_types.go and pkg/webhooks/trainjob_webhook.go.
"""


def patch_validations(fabrics: Sequence[FabricPod]) -> list[dict[str, str]]:
    """Of a policy that has the variables above and `ours`: whether the job's runtime is one of the cluster's.

    fabrics: of the pods of these runtimes.
    """
    volumes = sorted({"shm", "scratch", "shared", "home", "ssh", *_each(fabrics, "volumes", "name")})
    paths = sorted({"/dev/shm", *_each(fabrics, "mounts", "mountPath")})
    return [
        _validation(
            "!has(t.spec) || (!has(t.spec.tolerations) && !has(t.spec.initContainers) && !has(t.spec.nodeSelector) && "
            "!has(t.spec.schedulingGates))",
            "has tolerations, nodeSelector, schedulingGates or initContainers, which would keep the pods off their "
            "nodes or their fabric; remove them: the queue chooses the nodes",
        ),
        _validation(
            f"t.?spec.?containers.orValue([]).all(c, c.name == '{_CONTAINER}')",
            f"has a container that the runtime has not, or one of the fabric's, and no pod would ever start; allowed: "
            f"{_CONTAINER}; run what helps the job in its own image, or as a job or a Deployment beside it",
        ),
        _validation(
            f"!has(t.spec) || !has(t.spec.volumes) || t.spec.volumes.all(v, !(v.name in {texts(volumes)}))",
            f"has a volume of the runtime's own ({', '.join(volumes)}); give yours another name",
        ),
        _validation(
            "t.?spec.?volumes.orValue([]).all(v, !has(v.hostPath))",
            "has a volume that is a folder of the machine, and no pod would ever start; use the claim shared, or an "
            "emptyDir",
        ),
        _validation(
            f"{_lacks('t.?spec.?securityContext', _OF_A_POD)} && t.?spec.?containers.orValue([]).all(c, "
            f"{_lacks('c.?securityContext', _OF_A_CONTAINER)})",
            "has a securityContext with rights that pods here may not have, and none would ever start; remove "
            f"{', '.join(dict.fromkeys([*_OF_A_CONTAINER, *_OF_A_POD]))}",
        ),
        _validation(
            "!has(t.spec) || !has(t.spec.containers) || t.spec.containers.all(c, !has(c.env) && "
            # The kubelet cleans paths that are written otherwise.
            "(!has(c.volumeMounts) || c.volumeMounts.all(m, m.mountPath.matches('^(/[^/]+)+/?$') && "
            "!m.mountPath.contains('/./') && !m.mountPath.contains('/../') && "
            f"!{texts(paths)}.exists(p, m.mountPath == p || m.mountPath.startsWith(p + '/')))))",
            f"has variables of a container, or a mount at or below {', '.join(paths)}, where the fabric's files are; "
            "set variables in spec.trainer.env, mount elsewhere by a full path",
        ),
        _validation(
            "!has(t.metadata) || !has(t.metadata.annotations) || t.metadata.annotations.all(a, "
            f"!({starts('a', _ANNOTATIONS)}))",
            f"has annotations of {' or '.join(_ANNOTATIONS)}, by which pods get their interfaces; remove them",
        ),
    ]


def _validation(free: str, said: str) -> dict[str, str]:
    """free: of the template of a pod `t`."""
    return {
        "expression": f"!variables.ours || variables.pods.all(l, l.all(t, {free}))",
        "message": f"spec.runtimePatches {said}",
    }


def _lacks(context: str, fields: Sequence[str]) -> str:
    return " && ".join(f"!{context}.?{field}.hasValue()" for field in fields)


def _each(fabrics: Sequence[FabricPod], field: str, key: str) -> set[str]:
    return {part[key] for fabric in fabrics for part in getattr(fabric, field)}
