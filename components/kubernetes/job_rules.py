"""What the API server refuses of jobs: what would switch the fabric off unseen, or wait for ever.

Trainer merges a TrainJob into its runtime, environment and resources too: a job that says NCCL_NET=Socket trains over
TCP. Source: kubeflow/trainer v2.3.0, pkg/runtime/core/trainingruntime.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi

from gpucluster.catalog.fabric_releases import FabricRelease
from gpucluster.components.kubernetes.amount_rules import amount_validations, amount_variables
from gpucluster.components.kubernetes.cel import starts, text, texts
from gpucluster.components.kubernetes.gpu_pod_rules import GPU_POD_RULES, VISIBLE_DEVICES, gpu_pod_spec
from gpucluster.components.kubernetes.gpu_pod_variables import KUEUE, QUEUE
from gpucluster.components.kubernetes.image_rules import IMAGE_VARIABLES, image_validations
from gpucluster.components.kubernetes.job_pool import JobPool
from gpucluster.components.kubernetes.kinds import ADMISSION_POLICY, ADMISSION_POLICY_BINDING
from gpucluster.components.kubernetes.objects import custom_object
from gpucluster.components.kubernetes.patch_rules import PATCH_VARIABLES, patch_validations
from gpucluster.components.kubernetes.pod_rules import POD_RULES, fabrics_of, folders_of, pod_spec
from gpucluster.components.names import MPI_RUNTIME, TRAINING_RUNTIME

JOB_RULES: Final = "training-jobs"

# Of the variables of a job these decide about the fabric. NCCL_DEBUG and its like only tell.
_PREFIXES: Final = ("NCCL_", "FI_", "OFI_NCCL_", "RDMAV_", "UCX_")
_NAMES: Final = ("LD_LIBRARY_PATH", "LD_PRELOAD", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER")


def job_rules(
    name: str,
    *,
    pools: Sequence[JobPool],
    release: FabricRelease,
    queues: Mapping[str, Sequence[str]],
    namespaces: Sequence[str],
    restricted: bool,
    labels: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """Declares the rules. pools: whose pods have the rights that a pod may have. release: of the fabric, which not all
    images load. queues: runtime -> those of its pools. namespaces: those of jobs. restricted: whether their own
    standard refuses already what a pod may not reach of its machine.
    """
    rules = {
        JOB_RULES: job_spec(pools, release, queues, namespaces),
        GPU_POD_RULES: gpu_pod_spec(pools, folders_of(pools), namespaces),
    }
    if not restricted:
        rules[POD_RULES] = pod_spec(pools, namespaces)
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
    pools: Sequence[JobPool], release: FabricRelease, queues: Mapping[str, Sequence[str]], namespaces: Sequence[str]
) -> dict[str, Any]:
    """The rules for TrainJobs in every namespace, for the runtimes are everybody's. queues: runtime -> those of its
    pools. namespaces: those of jobs, where Kueue is.
    """
    images = image_validations(release)
    every = list(dict.fromkeys(queue for found in queues.values() for queue in found))
    fitting: dict[str, list[str]] = {}
    for runtime, found in queues.items():
        fitting.setdefault(" or ".join(found), []).append(runtime)
    served = "; ".join(f"{found} for {' and '.join(names)}" for found, names in fitting.items())
    queue = f"object.metadata.labels[{text(QUEUE)}]"
    queued = f"has(object.metadata.labels) && {text(QUEUE)} in object.metadata.labels && {queue} != ''"
    runtimes = [TRAINING_RUNTIME, MPI_RUNTIME]
    named = " and ".join(runtimes)
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
        "matchConditions": [
            # Kueue writes where a job's pods go into the job; what it does there is not the user's.
            {"name": "not-by-kueue", "expression": f"request.userInfo.username != {text(KUEUE)}"},
            {"name": "not-going", "expression": "!has(object.metadata.deletionTimestamp)"},
        ],
        "variables": [
            {
                "name": "queues",
                "expression": f"{{{', '.join(f'{text(name)}: {texts(found)}' for name, found in queues.items())}}}",
            },
            {
                # A runtime of the namespace's own may have any of these names.
                "name": "ours",
                "expression": "object.spec.runtimeRef.name in variables.queues && "
                "(!has(object.spec.runtimeRef.kind) || object.spec.runtimeRef.kind == 'ClusterTrainingRuntime')",
            },
            {
                "name": "fabric",
                "expression": f"variables.ours && object.spec.runtimeRef.name in {texts(runtimes)}",
            },
            {
                "name": "env",
                "expression": "has(object.spec.trainer) && has(object.spec.trainer.env) ? "
                "object.spec.trainer.env.map(e, e.name) : []",
            },
            *amount_variables(pools, _asks(pools, queues)),
            *PATCH_VARIABLES,
            *(IMAGE_VARIABLES if images else ()),
        ],
        "validations": [
            {
                "expression": f"request.namespace in {texts(namespaces)}",
                "message": "metadata.namespace has no queue: the job would take its GPUs from "
                f"others; allowed: {', '.join(namespaces)}; move it there",
            },
            {
                "expression": queued,
                "message": f"metadata.labels has no {QUEUE}: without a queue a job starts with half of its nodes and "
                f"waits on the bill for the rest; allowed: {', '.join(every)}",
            },
            {
                "expression": f"!variables.ours || !({queued}) || "
                f"{queue} in variables.queues[object.spec.runtimeRef.name]",
                "message": f"the queue in metadata.labels ({QUEUE}) does not serve the runtime in "
                f"spec.runtimeRef, so the job would never start; choose {served}",
            },
            {
                "expression": "!variables.fabric || !has(object.spec.trainer) || "
                "!has(object.spec.trainer.resourcesPerNode)",
                "message": f"spec.trainer.resourcesPerNode changes what a pod of the runtimes {named} asks for; remove "
                "it: a pod has a whole machine, with all of its GPUs and of the fabric's interfaces",
            },
            {
                "expression": "!variables.fabric || variables.env.all(e, e.startsWith('NCCL_DEBUG') || "
                f"!({starts('e', _PREFIXES)} || e in {texts(_NAMES)}))",
                "message": f"spec.trainer.env sets what decides about the fabric ({', '.join(_PREFIXES)}..., "
                f"{', '.join(_NAMES)}); remove it: the runtimes {named} set it as this cloud needs it; NCCL_DEBUG is "
                "yours",
            },
            {
                "expression": f"variables.env.all(e, e != {text(VISIBLE_DEVICES)})",
                "message": f"spec.trainer.env sets {VISIBLE_DEVICES}, which takes GPUs of other jobs or leaves a job's "
                "own; remove it: the pod gets the GPUs it asks for",
            },
            *amount_validations(pools),
            *patch_validations(fabrics_of(pools)),
            {
                "expression": f"object.spec.runtimeRef.name != {text(MPI_RUNTIME)} || !has(object.spec.trainer) || "
                "!has(object.spec.trainer.image)",
                "message": f"spec.trainer.image reaches the first node of the runtime {MPI_RUNTIME} alone, and mpirun "
                "needs the same on all; remove it: the runtime has Open MPI and NCCL's tests, or use the runtime "
                f"{TRAINING_RUNTIME}",
            },
            *images,
        ],
    }


def _asks(pools: Sequence[JobPool], queues: Mapping[str, Sequence[str]]) -> dict[str, Mapping[str, int]]:
    """Runtime -> device -> amount of one pod."""
    by_name = {pool.name: pool for pool in pools}
    return {runtime: by_name[found[0]].ask for runtime, found in queues.items()}
