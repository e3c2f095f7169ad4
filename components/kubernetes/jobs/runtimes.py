"""Training runtimes of a cluster's pools: they turn a portable TrainJob into pods for this cloud.

A job's command replaces the runtime's, so no wrapper can do anything: the pod contains everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.components.kubernetes.jobs.job_controllers import RETENTION_HOURS
from gpucluster.components.kubernetes.jobs.job_pool import FabricPod, JobPool
from gpucluster.components.planning.names import (
    GPU_TOLERATION,
    HOME_CLAIM,
    HOME_PATH,
    POOL,
    SCRATCH_PATH,
    SHARED_CLAIM,
    SHARED_PATH,
)

STEP: Final = "trainer.kubeflow.org/trainjob-ancestor-step"
"""Label of the replicated job that gets image, command and arguments of the TrainJob, with the value `trainer`."""
TRAINER: Final = "trainer"
NODE: Final = "node"
"""The container that Trainer writes to."""
FRAMEWORK: Final = "trainer.kubeflow.org/framework"
"""Label of a runtime, without which Kubeflow's SDK neither lists it nor submits jobs for it.

Source: kubeflow/sdk 0.5.0, kubeflow/trainer/backends/kubernetes/backend.py (list_runtimes, get_runtime).
"""
# The volume with a job's SSH keys, which Trainer adds. Source: kubeflow/trainer v2.2.1, pkg/constants.
_SSH_VOLUME: Final = "mpi-ssh-auth"

NEAR: Final = "kueue.x-k8s.io/podset-preferred-topology"
"""Annotation of pods that should run near each other. Source: kubernetes-sigs/kueue v0.19.2, apis/kueue/v1beta2."""

# Kueue admits all pods of a job or none, yet places each of its replicated jobs separately. In a group of two, of which
# one has a single pod, they get a common place. Kueue then counts the pods beside the single one from 1, as a
# LeaderWorkerSet does, while a JobSet counts from 0; pods with an offset count are placed in no order.
# Source: kubernetes-sigs/kueue v0.19.2, keps/2724-topology-aware-scheduling and pkg/controller/tas/topology_ungater.go.
_GROUP: Final = "kueue.x-k8s.io/podset-group-name"
_OFFSET: Final = "kueue.x-k8s.io/pod-index-offset"

# Retention of an ended job's pods and logs.
_KEPT_SECONDS: Final = RETENTION_HOURS * 3600

_SSH_PORT: Final = 2222
_KEYS: Final = "/etc/mpi-ssh"
_HOME: Final = "/root/.ssh"

# ssh refuses keys that others may read, and Trainer's volume lets everybody read them. An ssh session starts without
# the container's environment, so a file holds the variables it needs.
_PREPARE_SSH: Final = f"""\
set -eu
install -m 600 {_KEYS}/* {_HOME}
printf '%s\\n' 'Host *' 'Port {_SSH_PORT}' 'StrictHostKeyChecking no' 'UserKnownHostsFile /dev/null' > {_HOME}/config
printenv | grep -E '^(CUDA|FI|LD|NCCL|OMPI|OPAL|PMIX|RDMAV)_|^PATH=' > {_HOME}/environment
chmod 600 {_HOME}/config {_HOME}/environment
"""
_SERVE_SSH: Final = (
    f"mkdir -p /run/sshd && ssh-keygen -A && exec /usr/sbin/sshd -De -p {_SSH_PORT} -o PermitUserEnvironment=yes "
    "-o PermitRootLogin=prohibit-password -o PasswordAuthentication=no"
)
# Open MPI 4: started as root, over the pod's own network.
_OPEN_MPI: Final[Mapping[str, str]] = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_oob_tcp_if_include": "eth0",
}


def framework_of(runtime: Mapping[str, Any]) -> str:
    """What starts the processes of a runtime's jobs: `torch` or `mpi`."""
    return next(policy for policy in ("torch", "mpi") if policy in runtime["mlPolicy"])


def torch_runtime(pools: Sequence[JobPool], image: str, *, home: bool) -> dict[str, Any]:
    """PyTorch, one process for each GPU, started by torchrun, in any of several pools of equal machines. image: default
    of jobs. home: whether there is a home file system.
    """
    pool = pools[0]
    fabric = pool.fabric or FabricPod()
    pod = _pod(pools, fabric, _container(pool, fabric, image, fabric.env, home=home), home=home)
    return {
        "mlPolicy": {"numNodes": 1, "torch": {}},
        "template": {
            "spec": {
                "ttlSecondsAfterFinished": _KEPT_SECONDS,
                "failurePolicy": dict(FAILURE_POLICY),
                "replicatedJobs": [_job(NODE, pod, pools, fabric, step=True)],
            }
        },
    }


def mpi_runtime(pool: JobPool, image: str, *, home: bool) -> dict[str, Any]:
    """Open MPI over the nodes of a job; the first starts the program. The image is always the runtime's: Trainer
    applies a job's image only to the first node.
    """
    fabric = pool.mpi_fabric or FabricPod()
    container = _container(pool, fabric, image, {**_OPEN_MPI, **fabric.env}, home=home)
    container["volumeMounts"] = [*container["volumeMounts"], {"name": "ssh", "mountPath": _HOME}]
    keys = {
        "name": "ssh-keys",
        "image": image,
        "command": ["/bin/sh", "-c"],
        "args": [_PREPARE_SSH],
        "env": container["env"],
        "volumeMounts": [
            {"name": _SSH_VOLUME, "mountPath": _KEYS, "readOnly": True},
            {"name": "ssh", "mountPath": _HOME},
        ],
        "securityContext": {"allowPrivilegeEscalation": False},
    }
    served = {
        **container,
        "command": ["/bin/sh", "-c"],
        "args": [_SERVE_SSH],
        "readinessProbe": {"tcpSocket": {"port": _SSH_PORT}, "periodSeconds": 5},
    }

    def job(name: str, job_container: Mapping[str, Any], *, step: bool) -> dict[str, Any]:
        pod = _pod([pool], fabric, job_container, home=home)
        pod["initContainers"] = [*pod["initContainers"], keys]
        pod["volumes"] = [*pod["volumes"], {"name": "ssh", "emptyDir": {}}]
        replicated = _job(name, pod, [pool], fabric, step=step)
        if pool.near:
            offset = {} if step else {_OFFSET: "-1"}
            replicated["template"]["spec"]["template"]["metadata"]["annotations"] |= {_GROUP: "mpi", **offset}
        return replicated

    # A launcher that starts before the others listen gives up.
    launcher = {**job("launcher", container, step=True), "dependsOn": [{"name": NODE, "status": "Ready"}]}
    return {
        "mlPolicy": {
            # Trainer creates this many launchers. The other nodes are one less than a job requests, at least one.
            "numNodes": 1,
            "mpi": {
                "numProcPerNode": pool.whole_gpus,
                "mpiImplementation": "OpenMPI",
                "sshAuthMountPath": _KEYS,
                "runLauncherAsNode": True,
            },
        },
        "template": {
            "spec": {
                "ttlSecondsAfterFinished": _KEPT_SECONDS,
                "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
                "successPolicy": {"operator": "All", "targetReplicatedJobs": ["launcher"]},
                "failurePolicy": dict(FAILURE_POLICY),
                "replicatedJobs": [job(NODE, served, step=False), launcher],
            }
        },
    }


def _container(pool: JobPool, fabric: FabricPod, image: str, env: Mapping[str, str], *, home: bool) -> dict[str, Any]:
    # Devices are only in the limits, which Kubernetes also uses as requests.
    devices = {**{resource: str(amount) for resource, amount in pool.ask.items()}, **fabric.resources}
    return {
        "name": NODE,
        "image": image,
        "env": [{"name": name, "value": value} for name, value in sorted(env.items())],
        # No limits of CPU and memory: the job has the whole machine, or its pods share it in proportion to their
        # requests.
        "resources": {"requests": pool.requests, "limits": devices},
        "volumeMounts": [
            {"name": "shm", "mountPath": "/dev/shm"},
            {"name": "scratch", "mountPath": SCRATCH_PATH},
            {"name": SHARED_CLAIM, "mountPath": SHARED_PATH},
            *([{"name": HOME_CLAIM, "mountPath": HOME_PATH}] if home else []),
            *map(dict, fabric.mounts),
        ],
        "securityContext": {
            "allowPrivilegeEscalation": False,
            **_rights(fabric),
        },
    }


def _rights(fabric: FabricPod) -> dict[str, Any]:
    """Only root gets capabilities: Kubernetes gives a container none that pass to a program of another user.

    Source: kubernetes/kubernetes issue 56374 (ambient capabilities).
    """
    return {"capabilities": {"add": list(fabric.capabilities)}, "runAsUser": 0} if fabric.capabilities else {}


def _pod(pools: Sequence[JobPool], fabric: FabricPod, container: Mapping[str, Any], *, home: bool) -> dict[str, Any]:
    pool = pools[0]
    tolerations: list[Mapping[str, str]] = [GPU_TOLERATION]
    for toleration in (one for each in pools for one in each.tolerations):
        tolerations += [] if toleration in tolerations else [toleration]
    scratch: dict[str, Any] = (
        {"emptyDir": {}} if pool.scratch is None else {"hostPath": {"path": pool.scratch, "type": "Directory"}}
    )
    claims = [SHARED_CLAIM, *([HOME_CLAIM] if home else [])]
    return {
        **_place([each.name for each in pools]),
        "tolerations": list(map(dict, [*tolerations, *SILENT_NODE])),
        # A job needs no access to the cluster's API; its permissions in the cloud come from workload identity.
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": pool.grace_seconds,
        "initContainers": list(map(dict, fabric.before)),
        "containers": [dict(container)],
        "volumes": [
            {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": pool.shared_memory}},
            {"name": "scratch", **scratch},
            *({"name": claim, "persistentVolumeClaim": {"claimName": claim}} for claim in claims),
            *map(dict, fabric.volumes),
        ],
    }


def _place(pools: Sequence[str]) -> dict[str, Any]:
    """Only nodes of these pools; of several, the flavor of the job's queue adds the selector of its pool."""
    if len(pools) == 1:
        return {"nodeSelector": {POOL: pools[0]}}
    terms = [{"matchExpressions": [{"key": POOL, "operator": "In", "values": list(pools)}]}]
    return {
        "affinity": {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}},
        }
    }


def _job(
    name: str, pod: Mapping[str, Any], pools: Sequence[JobPool], fabric: FabricPod, *, step: bool
) -> dict[str, Any]:
    pool = pools[0]
    # A runtime of several pools has only the annotations common to all of them.
    of_all = {key: value for key, value in pool.annotations.items() if all(key in one.annotations for one in pools)}
    near = {NEAR: pool.near} if pool.near else {}
    annotations = {**of_all, **fabric.annotations, **near, **FORCED}
    template = {"metadata": {"annotations": annotations}, "spec": dict(pod)}
    return {
        "name": name,
        "replicas": 1,
        "template": {
            **({"metadata": {"labels": {STEP: TRAINER}}} if step else {}),
            # A failing pod fails its gang: restarted alone, it would wait for peers that no longer exist.
            "spec": {"backoffLimit": 0, "podFailurePolicy": dict(POD_FAILURE_POLICY), "template": template},
        },
    }


_TAKEN_AWAY: Final = ("DisruptionTarget", "TerminatedByKueue")
"""If Kubernetes or Kueue removes a pod (a broken node, maintenance, preemption, a node that no longer exists), that is
no failure of its job: the Job ends with a specific reason, for which the JobSet restarts without counting it.

Sources: kubernetes-sigs/jobset v0.12.0, api/jobset/v1alpha2/jobset_types.go (FailurePolicyRule); kubernetes v1.36.3,
pkg/controller/job/pod_failure_policy.go; kueue v0.19.2, pkg/controller/tas/node_controller.go (TerminatedByKueue).
"""

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
