"""What the API server refuses of jobs: what would switch the fabric off unseen, and, where a job's pods have to have
more rights than the pod security standard `baseline` gives, everything beyond those.

Trainer merges a TrainJob into its runtime, and resources replace the runtime's as a whole: a job that asks for eight
GPUs by itself loses the fabric's interfaces, and trains over TCP. Source: kubeflow/trainer v2.1.0,
pkg/runtime/framework/plugins/jobset/builder.go.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi

from gpucluster.catalog.fabric_releases import FabricRelease
from gpucluster.components.kubernetes.image_rules import IMAGE_VARIABLES, image_validations
from gpucluster.components.kubernetes.job_pool import FabricPod
from gpucluster.components.kubernetes.kinds import ADMISSION_POLICY, ADMISSION_POLICY_BINDING
from gpucluster.components.kubernetes.objects import custom_object
from gpucluster.components.names import MPI_RUNTIME, NAMESPACE, TRAINING_RUNTIME

__all__ = ["JOB_RULES", "POD_RULES", "job_rules", "job_spec", "pod_spec"]

JOB_RULES: Final = "training-jobs"
POD_RULES: Final = "training-pods"

# Kueue writes where a job's pods go into the job; what it does there is not the user's.
_KUEUE: Final = "system:serviceaccount:kueue-system:kueue-controller-manager"
_QUEUE: Final = "kueue.x-k8s.io/queue-name"

# Of the variables of a job these decide about the fabric. NCCL_DEBUG and its like only tell.
_PREFIXES: Final = ("NCCL_", "FI_", "OFI_NCCL_", "RDMAV_", "UCX_")
_NAMES: Final = ("LD_LIBRARY_PATH", "LD_PRELOAD", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER")
_ANNOTATIONS: Final = ("networking.gke.io/", "devices.gke.io/")

# NVIDIA's runtime gives a container the GPUs that this names, whoever has them, unless a node's settings forbid it
# (accept-nvidia-visible-devices-envvar-when-unprivileged); what a pod sets comes after what the device plugin does.
# Sources: NVIDIA/nvidia-container-toolkit, its configuration; kubernetes v1.34.1, pkg/kubelet/kubelet_pods.go.
_GPUS: Final = "NVIDIA_VISIBLE_DEVICES"

# Capabilities that the pod security standard `baseline` lets a container add.
# Source: k8s.io/pod-security-admission v0.34.1, policy/check_capabilities_baseline.go.
_HARMLESS: Final = (
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
)


def job_rules(
    name: str,
    *,
    fabrics: Sequence[FabricPod],
    release: FabricRelease,
    queues: Mapping[str, Sequence[str]],
    scratch: str | None,
    restricted: bool,
    labels: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """Declares the rules. fabrics: of the pods, whose rights are the ones a pod may have. release: of the fabric, which
    not every image loads. queues: runtime -> those of its pools. scratch: a folder of the node that pods mount.
    restricted: whether the namespace's own standard refuses all of it already.
    """
    rules = {JOB_RULES: job_spec(fabrics, release, queues)}
    if not restricted:
        rules[POD_RULES] = pod_spec(fabrics, scratch)
    made: list[pulumi.Resource] = []
    for rule, spec in rules.items():
        policy = custom_object(f"{name}-{rule}", ADMISSION_POLICY, spec, object_name=rule, labels=labels, opts=opts)
        binding = custom_object(
            f"{name}-{rule}-binding",
            ADMISSION_POLICY_BINDING,
            {"policyName": rule, "validationActions": ["Deny"]},
            object_name=rule,
            labels=labels,
            opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[policy])),
        )
        made += [policy, binding]
    return made


def job_spec(
    fabrics: Sequence[FabricPod], release: FabricRelease, queues: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """The rules for TrainJobs in every namespace, for the runtimes are everybody's. queues: runtime -> those of its
    pools.
    """
    images = image_validations(release)
    every = list(dict.fromkeys(queue for found in queues.values() for queue in found))
    fitting: dict[str, list[str]] = {}
    for runtime, found in queues.items():
        fitting.setdefault(" or ".join(found), []).append(runtime)
    served = "; ".join(f"{found} for {' and '.join(names)}" for found, names in fitting.items())
    queue = f"object.metadata.labels[{_text(_QUEUE)}]"
    queued = f"has(object.metadata.labels) && {_text(_QUEUE)} in object.metadata.labels && {queue} != ''"
    volumes = sorted({"shm", "scratch", "shared", "home", "ssh", *_each(fabrics, "volumes", "name")})
    paths = sorted({"/dev/shm", *_each(fabrics, "mounts", "mountPath")})
    runtimes = [TRAINING_RUNTIME, MPI_RUNTIME]
    named = " and ".join(runtimes)
    free = "variables.fabric ? variables.overrides.all(o, {}) : true"
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "resourceRules": [
                {
                    "apiGroups": ["trainer.kubeflow.org"],
                    "apiVersions": ["v1alpha1"],
                    "operations": ["CREATE", "UPDATE"],
                    "resources": ["trainjobs"],
                }
            ]
        },
        "matchConditions": [{"name": "not-by-kueue", "expression": f"request.userInfo.username != {_text(_KUEUE)}"}],
        "variables": [
            {
                "name": "fabric",
                "expression": f"object.spec.runtimeRef.name in {_list(runtimes)} && "
                "(!has(object.spec.runtimeRef.kind) || object.spec.runtimeRef.kind == 'ClusterTrainingRuntime')",
            },
            {
                "name": "queues",
                "expression": f"{{{', '.join(f'{_text(name)}: {_list(found)}' for name, found in queues.items())}}}",
            },
            {
                "name": "env",
                "expression": "has(object.spec.trainer) && has(object.spec.trainer.env) ? "
                "object.spec.trainer.env.map(e, e.name) : []",
            },
            {
                # Those that an update leaves as they were may be Kueue's.
                "name": "overrides",
                "expression": "!has(object.spec.podTemplateOverrides) ? [] : "
                "object.spec.podTemplateOverrides.filter(o, oldObject == null || "
                "!has(oldObject.spec.podTemplateOverrides) || !(o in oldObject.spec.podTemplateOverrides))",
            },
            *(IMAGE_VARIABLES if images else ()),
        ],
        "validations": [
            {
                "expression": queued,
                "message": f"metadata.labels has no {_QUEUE}: without a queue a job starts with half of its nodes and "
                f"waits on the bill for the rest; allowed: {', '.join(every)}",
            },
            {
                # A runtime of the namespace's own may have any of these names.
                "expression": "(has(object.spec.runtimeRef.kind) && object.spec.runtimeRef.kind != "
                "'ClusterTrainingRuntime') || !(object.spec.runtimeRef.name in variables.queues) || "
                f"!({queued}) || {queue} in variables.queues[object.spec.runtimeRef.name]",
                "message": f"the queue in metadata.labels ({_QUEUE}) is of no pool that spec.runtimeRef runs in: the "
                f"job would wait forever; choose {served}",
            },
            {
                "expression": "!variables.fabric || !has(object.spec.trainer) || "
                "!has(object.spec.trainer.resourcesPerNode)",
                "message": f"spec.trainer.resourcesPerNode replaces all resources of the runtimes {named}, the "
                "fabric's interfaces among them; remove it: a pod has a whole machine",
            },
            {
                "expression": "!variables.fabric || variables.env.all(e, e.startsWith('NCCL_DEBUG') || "
                f"!({_starts('e', _PREFIXES)} || e in {_list(_NAMES)}))",
                "message": f"spec.trainer.env sets what decides about the fabric ({', '.join(_PREFIXES)}..., "
                f"{', '.join(_NAMES)}); remove it: the runtimes {named} set it as this cloud needs it; NCCL_DEBUG is "
                "yours",
            },
            {
                "expression": f"variables.env.all(e, e != {_text(_GPUS)})",
                "message": f"spec.trainer.env sets {_GPUS}, which takes GPUs of other jobs or leaves a job's own; "
                "remove it: the pod gets the GPUs it asks for",
            },
            {
                "expression": free.format(
                    "!has(o.spec) || (!has(o.spec.tolerations) && !has(o.spec.initContainers) && "
                    "!has(o.spec.nodeSelector))"
                ),
                "message": "spec.podTemplateOverrides has tolerations, nodeSelector or initContainers, which would "
                f"keep the pods of the runtimes {named} off their nodes or their fabric; remove them",
            },
            {
                "expression": free.format(
                    f"!has(o.spec) || !has(o.spec.volumes) || o.spec.volumes.all(v, !(v.name in {_list(volumes)}))"
                ),
                "message": f"spec.podTemplateOverrides has a volume of the runtime's own ({', '.join(volumes)}); give "
                "yours another name",
            },
            {
                "expression": free.format(
                    "!has(o.spec) || !has(o.spec.containers) || o.spec.containers.all(c, !has(c.env) && "
                    # The kubelet cleans paths that are written otherwise.
                    "(!has(c.volumeMounts) || c.volumeMounts.all(m, m.mountPath.matches('^(/[^/]+)+/?$') && "
                    "!m.mountPath.contains('/./') && !m.mountPath.contains('/../') && "
                    f"!{_list(paths)}.exists(p, m.mountPath == p || m.mountPath.startsWith(p + '/')))))"
                ),
                "message": "spec.podTemplateOverrides has variables of a container, or a mount at or below "
                f"{', '.join(paths)}, where the fabric's files are; set variables in spec.trainer.env, mount elsewhere "
                "by a full path",
            },
            {
                "expression": free.format(
                    "!has(o.metadata) || !has(o.metadata.annotations) || o.metadata.annotations.all(a, "
                    f"!({_starts('a', _ANNOTATIONS)}))"
                ),
                "message": f"spec.podTemplateOverrides has annotations of {' or '.join(_ANNOTATIONS)}, by which pods "
                "get their interfaces; remove them",
            },
            {
                "expression": f"object.spec.runtimeRef.name != {_text(MPI_RUNTIME)} || !has(object.spec.trainer) || "
                "!has(object.spec.trainer.image)",
                "message": f"spec.trainer.image reaches the first node of the runtime {MPI_RUNTIME} alone, and mpirun "
                "needs the same on all; remove it: the runtime has Open MPI and NCCL's tests, or use the runtime "
                f"{TRAINING_RUNTIME}",
            },
            *images,
        ],
    }


def pod_spec(fabrics: Sequence[FabricPod], scratch: str | None) -> dict[str, Any]:
    """The rules for pods of the jobs' namespace: those of the pod security standard `baseline`, and beyond it what the
    fabric needs of the node by name. Options of SELinux, hosts of probes and sysctls are left to the node.
    """
    folders = sorted(
        {
            volume["hostPath"]["path"]
            for fabric in fabrics
            for volume in fabric.volumes
            if isinstance(volume.get("hostPath"), Mapping)
        }
        | ({scratch} if scratch else set())
    )
    rights = sorted(
        {right for fabric in fabrics for right in fabric.capabilities}
        | {
            right
            for fabric in fabrics
            for container in fabric.before
            for right in container.get("securityContext", {}).get("capabilities", {}).get("add", [])
        }
    )
    context = "has(c.securityContext)"
    unconfined = "(!has({of}.{kind}Profile) || {of}.{kind}Profile.type != 'Unconfined')"

    def confined(of: str) -> str:
        return " && ".join(unconfined.format(of=of, kind=kind) for kind in ("seccomp", "appArmor"))

    return {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "resourceRules": [
                {
                    "apiGroups": [""],
                    "apiVersions": ["v1"],
                    "operations": ["CREATE", "UPDATE"],
                    "resources": ["pods", "pods/ephemeralcontainers"],
                }
            ],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": NAMESPACE}},
        },
        "variables": [
            {
                "name": "containers",
                "expression": "object.spec.containers + "
                "(has(object.spec.initContainers) ? object.spec.initContainers : []) + "
                "(has(object.spec.ephemeralContainers) ? object.spec.ephemeralContainers : [])",
            }
        ],
        "validations": [
            {
                "expression": f"variables.containers.all(c, !{context} || !has(c.securityContext.privileged) || "
                "!c.securityContext.privileged)",
                "message": "a container is privileged: root on a machine that other jobs use after it; ask for the "
                "capability it needs",
            },
            {
                "expression": "(!has(object.spec.hostNetwork) || !object.spec.hostNetwork) && "
                "(!has(object.spec.hostPID) || !object.spec.hostPID) && "
                "(!has(object.spec.hostIPC) || !object.spec.hostIPC)",
                "message": "the pod shares the network, the processes or the memory of its machine; remove "
                "hostNetwork, hostPID and hostIPC",
            },
            {
                "expression": "!has(object.spec.volumes) || object.spec.volumes.all(v, !has(v.hostPath) || "
                f"v.hostPath.path in {_list(folders)})",
                "message": "a volume is a folder of the machine other than "
                f"{', '.join(folders) or 'none'}; use the claim shared, or an emptyDir",
            },
            {
                "expression": f"variables.containers.all(c, !{context} || !has(c.securityContext.capabilities) || "
                "!has(c.securityContext.capabilities.add) || c.securityContext.capabilities.add.all(r, "
                f"r in {_list([*_HARMLESS, *rights])}))",
                "message": "a container adds a capability that is neither harmless nor one of the fabric's, "
                f"{', '.join(rights) or 'none'}; remove it",
            },
            {
                "expression": "variables.containers.all(c, !has(c.ports) || c.ports.all(p, !has(p.hostPort) || "
                "p.hostPort == 0))",
                "message": "a container has a port of its machine; remove hostPort: pods reach each other by name",
            },
            {
                "expression": f"(!has(object.spec.securityContext) || ({confined('object.spec.securityContext')})) && "
                f"variables.containers.all(c, !{context} || ({confined('c.securityContext')} && "
                "(!has(c.securityContext.procMount) || c.securityContext.procMount == 'Default')))",
                "message": "the pod or a container takes a guard of the machine's kernel away; remove seccompProfile "
                "and appArmorProfile of type Unconfined, and procMount",
            },
        ],
    }


def _each(fabrics: Sequence[FabricPod], field: str, key: str) -> set[str]:
    return {part[key] for fabric in fabrics for part in getattr(fabric, field)}


def _text(value: str) -> str:
    """A string in CEL."""
    return f"'{value}'"


def _list(values: Sequence[str]) -> str:
    return json.dumps(list(values)).replace('"', "'")


def _starts(variable: str, prefixes: Sequence[str]) -> str:
    return " || ".join(f"{variable}.startsWith({_text(prefix)})" for prefix in prefixes)
